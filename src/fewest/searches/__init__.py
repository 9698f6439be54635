"""Which features to take."""

from fewest.searches.individual_ranking import IndividualRanking

__all__ = ["IndividualRanking"]

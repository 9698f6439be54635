"""Which features to take."""

from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.minimum_cut import MaximumClosure, MinimumCut

__all__ = ["IndividualRanking", "MaximumClosure", "MinimumCut"]

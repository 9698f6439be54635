"""Which features to take."""

from fewest.searches.greedy_forward import GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.minimum_cut import MaximumClosure, MinimumCut

__all__ = ["GreedyForward", "IndividualRanking", "MaximumClosure", "MinimumCut"]

from fewest.methods.margins.mkl.relax_and_round import RelaxAndRound as RelaxAndRound
from fewest.searches.exhaustive import Exhaustive as Exhaustive
from fewest.searches.greedy import GreedyBackward as GreedyBackward
from fewest.searches.greedy import GreedyFloating as GreedyFloating
from fewest.searches.greedy import GreedyForward as GreedyForward
from fewest.searches.individual_ranking import IndividualRanking as IndividualRanking
from fewest.searches.minimum_cut import MaximumClosure as MaximumClosure
from fewest.searches.minimum_cut import MinimumCut as MinimumCut
from fewest.searches.recursive_elimination import RecursiveElimination as RecursiveElimination
from fewest.searches.stopping_rule import StoppingRule as StoppingRule
from fewest.searches.weight_ascent import WeightAscent as WeightAscent
from fewest.searches.weight_elimination import WeightElimination as WeightElimination

__all__: list[str]

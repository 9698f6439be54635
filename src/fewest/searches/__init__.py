"""Which features to take."""

from typing import TYPE_CHECKING

from fewest.lazy import names_of

if TYPE_CHECKING:
    from fewest.searches.greedy_backward import GreedyBackward
    from fewest.searches.greedy_floating import GreedyFloating
    from fewest.searches.greedy_forward import GreedyForward
    from fewest.searches.individual_ranking import IndividualRanking
    from fewest.searches.minimum_cut import MaximumClosure, MinimumCut
    from fewest.searches.recursive_elimination import RecursiveElimination
    from fewest.searches.relax_and_round import RelaxAndRound
    from fewest.searches.stopping_rule import StoppingRule as StoppingRule
    from fewest.searches.weight_ascent import WeightAscent

__all__ = [
    "GreedyBackward",
    "GreedyFloating",
    "GreedyForward",
    "IndividualRanking",
    "MaximumClosure",
    "MinimumCut",
    "RecursiveElimination",
    "RelaxAndRound",
    "WeightAscent",
]

#: Not a part of the lists that follow from __all__.
_BESIDES = ("StoppingRule",)

__getattr__ = names_of(__name__, {"MaximumClosure": "minimum_cut"})

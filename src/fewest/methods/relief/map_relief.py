"""MAP-Relief."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fewest.methods.relief.map_margin import MapMargin
from fewest.methods.relief.neighbour_selector import NeighbourSelector
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selection import Selection


@dataclass(eq=False, repr=False)
class MAPRelief(NeighbourSelector):
    """MAP-Relief as its paper has it, for comparison: prefer Relief or ReliefF.

    score_f = mean over rows of p_y |x - nearest miss| - (1 - p_y) |x - nearest hit|, p_y the share of the row's class.

    It counts the prior twice: how likely the nearest row is of some class depends on the shares already. Where classes
    are of unequal size it is far worse than Relief. Where they are many it comes near -|x - nearest hit|, which ranks
    columns by how densely they lie, even if labels are shuffled. Every fit says so in `notes_`.

    The parameters and the attributes are those of ReliefF, without `n_neighbors` and `printed`.

    Examples
    --------
    >>> from fewest import MAPRelief
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(MAPRelief(n_features=2).fit(X, y).notes_[0])
    MAP-Relief counts the prior twice: unequal or many classes mislead it, even with shuffled labels; prefer ReliefF
    """

    name: ClassVar[str] = "map-relief"
    summary: ClassVar[str] = "Relief with class shares; counts the prior twice, so prefer relieff"
    cost: ClassVar[str] = "one read, and every row against all"

    def sentence(self) -> Sentence:
        return MapMargin(**self.shared()), IndividualRanking()

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        return (
            "MAP-Relief counts the prior twice: unequal or many classes mislead it, even with shuffled labels; "
            "prefer ReliefF",
        )

"""Iterative Relief."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fewest.methods.relief.iterative_margin import IterativeMargin
from fewest.methods.relief.neighbour_selector import NeighbourSelector
from fewest.parameters import check_number
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.selection import Selection


@dataclass(eq=False, repr=False)
class IterativeRelief(NeighbourSelector):
    """Relief against all rows, near ones counting more, where near is told by columns weighted by their margins.

    Each round weighs the rows at distance t by exp(-t/width), t measured with the weights of the round before, takes
    the mean margins, and makes of them the next weights, until these settle (Sun 2007). Rows that lie among other
    classes count less, and columns of noise lose their say in what is near.

    Parameters
    ----------
    width : float, default=0.5
        How far rows count, in units of a weighted distance.

    The other parameters are those of ReliefF, without `n_neighbors` and `printed`.

    Attributes
    ----------
    n_rounds_ : int
        How many rounds it took.

    The other attributes are those of ReliefF.

    Examples
    --------
    >>> from fewest import IterativeRelief
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> IterativeRelief(n_features=2).fit(X, y).support_
    array([False, False,  True,  True])
    """

    name: ClassVar[str] = "iterative-relief"
    summary: ClassVar[str] = "margins against all rows, near by columns weighted by their margins"
    cost: ClassVar[str] = "one read, and every row against all in each round"

    width: float = 0.5

    def sentence(self) -> Sentence:
        check_number("width", self.width)
        return IterativeMargin(**self.shared(), width=float(self.width)), IndividualRanking()

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        super().store_fitted(objective, selection)
        self.n_rounds_: int = objective.n_rounds

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        if objective.has_settled:
            return ()
        return (f"the weights have not settled after {objective.n_rounds} rounds; another width may help",)

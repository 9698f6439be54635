"""Relief."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.relief.hit_miss_margin import HitMissMargin
from fewest.methods.relief.neighbour_selector import NeighbourSelector
from fewest.protocols import Sentence
from fewest.searches.individual_ranking import IndividualRanking


@dataclass(eq=False, repr=False)
class Relief(NeighbourSelector):
    """The features in which the nearest row of another class is farther than the nearest of the same.

    score_f = mean over rows of |x - nearest miss| - |x - nearest hit| in column f, each column scaled to [0, 1]. The
    nearest are found by all columns together; ties share the place. With more than two classes the nearest miss is that
    of any other class: ReliefF looks at each.

    The parameters and the attributes are those of ReliefF, without `n_neighbors` and `printed`.

    Examples
    --------
    >>> from fewest import Relief
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> Relief(n_features=2).fit(X, y).support_
    array([False, False,  True,  True])
    """

    name: ClassVar[str] = "relief"
    summary: ClassVar[str] = "nearest row of another class farther than the nearest of the same"
    cost: ClassVar[str] = "one read, and every row against all"

    def sentence(self) -> Sentence:
        return HitMissMargin(**self.shared(), n_neighbors=1, by_class=False), IndividualRanking()

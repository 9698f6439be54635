"""The selectors that compare rows with all others within a distance: SURF, SURF*, MultiSURF, MultiSURF*."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fewest.methods.relief.neighbour_criteria import MarginObjective
from fewest.methods.relief.selectors import NeighbourSelector
from fewest.methods.relief.threshold_margin import ThresholdMargin
from fewest.protocols import Sentence
from fewest.selection import Selection

#: What every fit with far rows says.
_STAR_NOTE = "far rows hide columns that separate the classes alone, whose near and far terms cancel; prefer MultiSURF"


@dataclass(eq=False, repr=False)
class SURF(NeighbourSelector):
    """Select the features in which the misses within the mean distance are farther than the hits within it.

    score_f = mean over rows of mean |x - near misses| - mean |x - near hits| in column f; near are the rows nearer than
    the mean distance between two rows.

    See Also
    --------
    MultiSURF : A threshold for each row.
    SURFStar : Counts the far rows too.
    ReliefF : A number of neighbours instead of a distance.

    Notes
    -----
    Needs no number of neighbours, and no balance: near hits and misses are as near if the labels are shuffled. Misses
    are those of any other class, together. Costs O(N^2 D), twice. Cannot see redundancy.

    References
    ----------
    Greene, Penrod, Kiralis, Moore, 2009. Spatially Uniform ReliefF (SURF) for computationally-efficient filtering of
    gene-gene interactions. https://doi.org/10.1186/1756-0381-2-5

    Examples
    --------
    >>> from fewest import SURF
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SURF(n_features=2).fit(X, y).support_
    array([False, False,  True,  True])
    """

    name: ClassVar[str] = "surf"
    summary: ClassVar[str] = "misses within the mean distance farther than the hits within it"
    formula: ClassVar[str] = "mean over rows of |x − misses within the mean distance| − |x − hits within it|"
    cost: ClassVar[str] = "one read, and every row against all, twice"

    def sentence(self) -> Sentence:
        return self._ranked(ThresholdMargin(*self._neighbour_parameters(), by_row=False))


@dataclass(eq=False, repr=False)
class SURFStar(NeighbourSelector):
    """Select features as SURF does, and count rows beyond the mean distance the other way round (SURF*).

    score_f = SURF's score + mean over rows of mean |x - far hits| - mean |x - far misses|; far are the rows beyond the
    mean distance between two rows.

    See Also
    --------
    SURF : The near rows alone, which finds single columns better.

    Notes
    -----
    Made to find columns that separate the classes only together: these differ more between far hits. It loses power for
    columns that do so alone, whose near and far terms cancel. Costs O(N^2 D), twice. Cannot see redundancy.

    References
    ----------
    Greene, Himmelstein, Kiralis, Moore, 2010. The Informative Extremes: Using Both Nearest and Farthest Individuals Can
    Improve Relief Algorithms in the Domain of Human Genetics. https://doi.org/10.1007/978-3-642-12211-8_16

    Examples
    --------
    >>> from fewest import SURFStar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SURFStar(n_features=2).fit(X, y).n_features_in_
    4
    """

    name: ClassVar[str] = "surf-star"
    summary: ClassVar[str] = "as surf, far rows the other way round; hides single columns, so prefer multisurf"
    formula: ClassVar[str] = "SURF + mean over rows of |x − hits beyond the mean distance| − |x − misses beyond it|"
    cost: ClassVar[str] = "one read, and every row against all, twice"

    def sentence(self) -> Sentence:
        return self._ranked(ThresholdMargin(*self._neighbour_parameters(), by_row=False, far=True))

    def _fit_notes(self, selection: Selection, objective: MarginObjective) -> tuple[str, ...]:
        return (_STAR_NOTE,)


@dataclass(eq=False, repr=False)
class MultiSURF(NeighbourSelector):
    """Select the features in which a row's near misses are farther than its near hits, near by its own distances.

    score_f = mean over rows of mean |x - near misses| - mean |x - near hits| in column f; near are the rows whose
    distance is below the mean of the row's distances to all others less half their standard deviation.

    See Also
    --------
    ReliefF : A number of neighbours instead of a distance.
    MultiSURFStar : Counts the far rows too.

    Notes
    -----
    Needs no number of neighbours, and no balance: near hits and misses are as near if the labels are shuffled. Misses
    are those of any other class, together. Costs O(N^2 D). Cannot see redundancy.

    References
    ----------
    Urbanowicz, Olson, Schmitt, Meeker, Moore, 2018. Benchmarking relief-based feature selection methods for
    bioinformatics data mining. https://doi.org/10.1016/j.jbi.2018.07.015

    Examples
    --------
    >>> from fewest import MultiSURF
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MultiSURF(n_features=2).fit(X, y).support_
    array([False, False,  True,  True])
    """

    name: ClassVar[str] = "multisurf"
    summary: ClassVar[str] = "near misses farther than near hits, near by each row's own distances"
    formula: ClassVar[str] = "mean over rows of |x − misses nearer than its mean distance − sd/2| − |x − such hits|"

    def sentence(self) -> Sentence:
        return self._ranked(ThresholdMargin(*self._neighbour_parameters()))


@dataclass(eq=False, repr=False)
class MultiSURFStar(NeighbourSelector):
    """Select features as MultiSURF does, and count far rows the other way round (MultiSURF*).

    score_f = MultiSURF's score + mean over rows of mean |x - far hits| - mean |x - far misses|; far are the rows whose
    distance is above the mean of the row's distances to all others plus half their standard deviation.

    See Also
    --------
    MultiSURF : The near rows alone, which finds single columns better.

    Notes
    -----
    Made to find columns that separate the classes only together. It loses power for columns that do so alone, whose
    near and far terms cancel. Costs O(N^2 D). Cannot see redundancy.

    References
    ----------
    Granizo-Mackenzie, Moore, 2013. Multiple Threshold Spatially Uniform ReliefF for the Genetic Analysis of Complex
    Human Diseases. https://doi.org/10.1007/978-3-642-37189-9_1

    Examples
    --------
    >>> from fewest import MultiSURFStar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MultiSURFStar(n_features=2).fit(X, y).n_features_in_
    4
    """

    name: ClassVar[str] = "multisurf-star"
    summary: ClassVar[str] = "as multisurf, far rows the other way round; hides single columns, so prefer multisurf"
    formula: ClassVar[str] = (
        "MultiSURF + mean over rows of |x − hits beyond its mean distance + sd/2| − |x − such misses|"
    )

    def sentence(self) -> Sentence:
        return self._ranked(ThresholdMargin(*self._neighbour_parameters(), far=True))

    def _fit_notes(self, selection: Selection, objective: MarginObjective) -> tuple[str, ...]:
        return (_STAR_NOTE,)

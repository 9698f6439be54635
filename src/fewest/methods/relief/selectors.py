"""The selectors of the Relief family: Relief, ReliefF, IterativeRelief, MAPRelief, ParzenRelief."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Self

import numpy as np

from fewest.arrays import Floats
from fewest.data.source import Source
from fewest.display.formatting import count
from fewest.errors import FewestWarning
from fewest.methods.relief.iterative_margin import IterativeMargin, IterativeMarginObjective
from fewest.methods.relief.neighbour_criteria import HitMissMargin, MapMargin, unit_weights
from fewest.methods.relief.parzen_margin import ParzenMargin, ParzenMarginObjective
from fewest.objectives import ColumnScores
from fewest.parameters import check_flag
from fewest.protocols import AnyCriterion, Sentence
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.recursive_elimination import RecursiveElimination, check_step
from fewest.selection import Selection
from fewest.selectors.measured_costs import measured_costs
from fewest.selectors.row_selector import RowSelector, ScoredRowSelector
from fewest.statistics.sampled_source import SampledSource

#: Rows whose neighbours are found in about a second: the largest number of rows, and of values of all pairs.
_MOST_ROWS, _MOST_VALUES = 4000, 4e9
#: A fit that takes more than this number of seconds has a note, which proposes this number of queries.
_WORTH_A_NOTE, _ENOUGH_QUERIES = 60.0, 5000


@dataclass(eq=False, repr=False)
class MarginSelector(RowSelector):
    """Select the columns with the largest mean margins.

    Parameters
    ----------
    scale : {"auto", "range", "std", "symmetric"} or None, default="auto"
        How each column is scaled; "auto" is "range", columns from 0 to 1. Categories differ by 0 or 1 in any case.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        The signed mean margin of each column; 0 for a constant column, NaN for one without a value.
    weights_ : ndarray of shape (n_features_in_,)
        The unit vector that maximises the weighted margin: the positive part of the scores divided by its length.
    """

    proves: ClassVar[str] = "nothing: no objective"

    def _store_fitted(self, objective: ColumnScores, selection: Selection) -> None:
        self.weights_: Floats = unit_weights(objective.scores)


@dataclass(eq=False, repr=False)
class NeighbourSelector(MarginSelector, ScoredRowSelector):
    """Select the columns with the largest mean margins between neighbouring rows.

    Parameters
    ----------
    metric : {"l1", "l2"}, default="l1"
        The metric of distances over all columns. Margins are differences in either case.
    n_queries : int or None, default=None
        The number of rows whose margins are averaged, drawn evenly from the classes by random_state and the rows'
        values; None for all. Each is compared with all rows. For large tables.
    turf : int, float or None, default=None
        Remove the columns with the least margins, this number at a time (below 1: this share of all columns), and
        compute the margins of the rest anew, until one is left: neighbours are then found without columns of noise
        (TuRF). `scores_` is then the number of columns removed before a column, and `weights_` of the first round. None
        ranks by the margins over all columns.
    """

    takes: ClassVar[str] = "numbers and text, missing values allowed"
    cost: ClassVar[str] = "one read, and every row against all"

    _: KW_ONLY
    metric: str = "l1"
    n_queries: int | None = None
    turf: int | float | None = None

    def _ranked(self, criterion: AnyCriterion) -> Sentence:
        """Return the criterion with the search that `turf` asks for."""
        if self.turf is None:
            return criterion, IndividualRanking()
        check_step("turf", self.turf, end=" or None")
        return criterion, RecursiveElimination(self.turf)

    def _neighbour_parameters(self) -> tuple[str, str | None, int | None, int]:
        """Return the parameters that every NeighbourCriterion takes, in its order."""
        return self.metric, self._scale_or("range"), self.n_queries, self.random_state

    def _affordable_rows(self, n_columns: int) -> int | None:
        # Every row is compared with every other.
        return (
            None if self.n_queries is not None else int(min(_MOST_ROWS, max(1000, (_MOST_VALUES / n_columns) ** 0.5)))
        )

    def _time_note(self, n_rows: int, n_columns: int) -> str | None:
        cost = measured_costs().get(self.name)
        if cost is None or self.n_queries is not None:
            return None
        forecast = cost.forecast(n_rows, n_columns)
        if forecast < _WORTH_A_NOTE:
            return None
        return (
            f"{self.name} compares each of {count(n_rows)} rows with all others, which takes about "
            f"{max(1, round(forecast / 60)):,} min of processor time: n_queries={_ENOUGH_QUERIES} averages the margins "
            f"of {count(_ENOUGH_QUERIES)} rows, which takes time linear in the rows"
        )

    def _error_by_halves(self, criterion: AnyCriterion, readable: Source, sample: SampledSource) -> Floats:
        if self.n_queries is not None:
            # Half of the sample would have as many queries as the whole.
            return np.full(self._space.n_units, np.nan)
        return super()._error_by_halves(criterion, readable, sample)

    # sample_weight is not named, so that scikit-learn does not take it for supported; the criterion refuses weights.
    def fit(self, X: object, y: object = None, *weights: object, groups: object = None, **named: object) -> Self:
        """Select features; weights of rows other than 0 and 1 are refused."""
        named["groups"] = groups
        return super().fit(X, y, *weights, **named)


@dataclass(eq=False, repr=False)
class Relief(NeighbourSelector):
    """Select the features in which the nearest row of another class is farther than the nearest of the same class.

    score_f = mean over rows of |x - M| - |x - H| in column f: H is the nearest hit (another row of the class), M the
    nearest miss (a row of another class), found over all columns; ties count equally.

    Parameters
    ----------
    balance : bool, default=True
        Balance classes of unequal size: ReliefF with one neighbour. False is the plain form: every row counts the same,
        and the nearest miss is that of all other classes together. The nearest of many rows are nearer than those of
        few: then unequal or many classes raise or lower the scores of columns whatever the labels.

    See Also
    --------
    ReliefF : Several nearest neighbours instead of one, from each class.
    ParzenRelief : Needs no balance: kernel densities of single columns.

    Notes
    -----
    Costs O(N^2 D). Cannot see redundancy. Yang and Hu derive it from the Bayes error (DoC) by nearest neighbours.

    References
    ----------
    Kira, Rendell, 1992. A Practical Approach to Feature Selection. https://doi.org/10.1016/B978-1-55860-247-2.50037-1

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
    formula: ClassVar[str] = "mean over rows of |x − nearest miss| − |x − nearest hit|"

    balance: bool = True

    def sentence(self) -> Sentence:
        balance = check_flag("balance", self.balance)
        criterion = HitMissMargin(*self._neighbour_parameters(), n_neighbors=1, by_class=balance, balance=balance)
        return self._ranked(criterion)


@dataclass(eq=False, repr=False)
class ReliefF(NeighbourSelector):
    """Select the features in which the nearest rows of each other class are farther than those of the same class.

    score_f = mean over rows of sum_c p_c/(1-p_y) mean |x - k nearest of class c| - mean |x - k nearest of its own|,
    c over the classes other than the row's own y, p their shares of the rows.

    Parameters
    ----------
    n_neighbors : int, default=10
        The number k of nearest rows of each class; of a class with at most k rows, all.
    printed : bool, default=False
        Leave out 1/(1-p_y), as Yang and Hu print it: then rows of large classes count less. Nothing is balanced.
    balance : bool, default=True
        Weight the rows of class y by 1 - p_y, and take more neighbours from larger classes, so that a column which is
        independent of the labels has an expected score of 0. False is the plain form, in which unequal classes raise
        or lower the scores of columns whatever the labels. Classes of equal size have the same scores either way.

    See Also
    --------
    Relief : One neighbour, and misses of any class together.
    ParzenRelief : Kernel densities instead of neighbours; the first choice where classes are very unequal.

    Notes
    -----
    Scores lie between -1 and 1. Costs O(N^2 D). Cannot see redundancy.

    References
    ----------
    Robnik-Šikonja, Kononenko, 2003. Theoretical and Empirical Analysis of ReliefF and RReliefF.
    https://doi.org/10.1023/A:1025667309714

    Examples
    --------
    >>> from fewest import ReliefF
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> ReliefF(n_features=3).fit(data.data, data.target).selection_.features
    ('od280/od315_of_diluted_wines', 'flavanoids', 'proline')
    """

    name: ClassVar[str] = "relieff"
    summary: ClassVar[str] = "nearest rows of each other class farther than the nearest of the same"
    formula: ClassVar[str] = "mean over rows of Σ_c p_c/(1 − p_y) |x − k nearest of class c| − |x − k nearest hits|"

    n_neighbors: int = 10
    printed: bool = False
    balance: bool = True

    def sentence(self) -> Sentence:
        criterion = HitMissMargin(
            *self._neighbour_parameters(), n_neighbors=self.n_neighbors, printed=self.printed, balance=self.balance
        )
        return self._ranked(criterion)


@dataclass(eq=False, repr=False)
class IterativeRelief(NeighbourSelector):
    """Select features by margins against all rows, with distances weighted by the margins (I-Relief).

    Each round weights rows at distance t by exp(-t/width), t measured with the column weights of the round before, and
    takes from the mean margins the next column weights, until these converge. Outliers count less, and columns of
    noise lose their influence on the distances.

    Parameters
    ----------
    width : float, default=0.5
        The distance at which the weight of a row falls to 1/e, in units of a weighted distance.

    Attributes
    ----------
    n_rounds_ : int
        The number of rounds run.

    See Also
    --------
    Relief : The nearest rows only, with equal column weights.

    Notes
    -----
    At most 200 rounds of O(N^2 D); a note reports weights that have not converged. With n_queries a round is linear in
    the rows: n_queries=5000 is for tables of 30,000 rows and more.

    References
    ----------
    Sun, 2007. Iterative RELIEF for Feature Weighting. https://doi.org/10.1109/TPAMI.2007.1093

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
    formula: ClassVar[str] = "w ∝ mean of |x − misses| − |x − hits|, near rows weighted by exp(−distance / width)"
    cost: ClassVar[str] = "one read, and every row against all in each round"

    width: float = 0.5

    def sentence(self) -> Sentence:
        return self._ranked(IterativeMargin(*self._neighbour_parameters(), width=self.width))

    def _store_fitted(self, objective: ColumnScores, selection: Selection) -> None:
        super()._store_fitted(objective, selection)
        assert isinstance(objective, IterativeMarginObjective)
        self.n_rounds_: int = objective.n_rounds

    def _fit_notes(self, selection: Selection, objective: IterativeMarginObjective) -> tuple[str, ...]:
        if objective.has_converged:
            return ()
        return (f"the weights have not converged after {objective.n_rounds} rounds; another width may help",)


@dataclass(eq=False, repr=False)
class MAPRelief(NeighbourSelector):
    """Select features by Relief with class shares as weights (MAP-Relief, M-Relief); prefer ParzenRelief.

    score_f = mean over rows of p_y |x - nearest miss| - (1 - p_y) |x - nearest hit|, p_y the share of the row's class.

    See Also
    --------
    ParzenRelief : The same derivation with kernel densities; unequal classes do not mislead it.
    ReliefF : Balances the classes.

    Notes
    -----
    Faithful to the paper, for comparison. It counts the prior twice: the class of the nearest row already depends on
    the shares. With classes of unequal size it is far worse than Relief. With many classes it approaches
    -|x - nearest hit|, which ranks columns by their density, even with shuffled labels. Every fit notes it in `notes_`.

    References
    ----------
    Yang, Hu, 2012. Discriminative Feature Selection by Nonparametric Bayes Error Minimization.
    https://doi.org/10.1109/TKDE.2011.72

    Examples
    --------
    >>> from fewest import MAPRelief
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(MAPRelief(n_features=2).fit(X, y).notes_[0])
    MAP-Relief counts the prior twice: unequal or many classes mislead it, whatever the labels; prefer ParzenRelief
    """

    name: ClassVar[str] = "map-relief"
    summary: ClassVar[str] = "Relief with class shares; counts the prior twice, so prefer parzen-relief"
    formula: ClassVar[str] = "mean over rows of p_y |x − nearest miss| − (1 − p_y) |x − nearest hit|"

    def sentence(self) -> Sentence:
        return self._ranked(MapMargin(*self._neighbour_parameters()))

    def _fit_notes(self, selection: Selection, objective: ColumnScores) -> tuple[str, ...]:
        warning = "unequal or many classes mislead it, whatever the labels; prefer ParzenRelief"
        return (f"MAP-Relief counts the prior twice: {warning}",)


@dataclass(eq=False, repr=False)
class ParzenRelief(MarginSelector):
    """Select the features on which rows lie nearer to their own class than to the others, by kernel densities.

    Parzen-Relief (P-Relief). The score is the mean Gaussian kernel between two rows of a class, less that between a row
    of it and one of the others, averaged over the classes.

    Parameters
    ----------
    width : {"sd/2", "silverman"} or float, default="sd/2"
        The kernel width: half the standard deviation of each column, 1.06 sd N^(-1/5), or a number in units of the
        scaled column.
    printed : bool, default=False
        Use the paper's form, where rows are compared with themselves too and large classes count more: a feature that
        shares no information with the class scores above 0, the more the wider its values spread.

    See Also
    --------
    ReliefF : Nearest neighbours over all columns instead of densities in one.
    fewest.criteria.BayesError : The same densities on subsets of columns.

    Notes
    -----
    `sample_weight` may be fractions; a class counts if its weight is at least two. `scale` has an effect where `width`
    is a number. O(N) a column, to a relative error of 1e-12. Cannot see redundancy or interactions.

    References
    ----------
    Yang, Hu, 2012. Discriminative Feature Selection by Nonparametric Bayes Error Minimization.
    https://doi.org/10.1109/TKDE.2011.72

    Examples
    --------
    >>> from fewest import ParzenRelief
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ParzenRelief(n_features=2).fit(X, y).scores_.round(2)
    array([0.28, 0.12, 0.69, 0.7 ])
    """

    name: ClassVar[str] = "parzen-relief"
    summary: ClassVar[str] = "features on which rows lie nearer to their own class than to the others"
    formula: ClassVar[str] = "mean kernel between rows of a class − mean kernel between a row of it and one of another"
    takes: ClassVar[str] = "numbers and text, missing values allowed, dense, sparse or streamed"
    cost: ClassVar[str] = "one read; O(rows) a column"

    width: str | float = "sd/2"
    printed: bool = False

    def sentence(self) -> Sentence:
        return ParzenMargin(self.width, self.printed, self._scale_or("range")), IndividualRanking()

    def _fit_notes(self, selection: Selection, objective: ParzenMarginObjective) -> tuple[str, ...]:
        if objective.n_classes > 0:
            return ()
        note = "no class has two rows (a total weight of 2), and so no margin: every score is 0"
        warnings.warn(note, FewestWarning, stacklevel=5)
        return (note,)

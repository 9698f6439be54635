"""The information between columns, the base of the criteria that need it, and those that score each feature alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from fewest._core import CategoryColumns, PairTables, n_categories_of
from fewest.arrays import Floats, Indices, Integers, Mask
from fewest.data.labels import sort_classes
from fewest.memory import CATEGORIES, MOST_CATEGORIES, check_memory, size_text
from fewest.methods.information.beyond_chance import (
    CORRECTIONS,
    Chance,
    chance_chi_square,
    chance_information,
)
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.distributed_categories import DistributedCategories
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.independence_tests import CategoryScores, PermutedCategories
from fewest.methods.information.parzen_table import ParzenTable
from fewest.objectives import ColumnScores
from fewest.parameters import check_choice, check_positive, is_number, wrong
from fewest.selectors.docstrings import compose_docstring
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

#: What columns of given counts have by chance with others.
ChanceOf = Callable[[Integers, Sequence[Integers]], Chance]
#: With fewer pairs of values than this, counting takes less time than starting a second thread.
_MIN_PAIRS_PER_THREAD = 2_000_000


class CategoryTable:
    """The columns as categories, with the class as one more, and the information between any of them in nats.

    A row of weight 2 is the row twice; weights must be integers.

    correction : "auto" counts only information beyond chance where a column has many categories; None all of it
    is_corrected : (n_columns,) which columns have many categories, and a correction
    """

    def __init__(
        self, rows: CategoricalRows | SecondPass, discretizer: Discretizer, correction: str | None = None
    ) -> None:
        if isinstance(rows, SecondPass):
            self.encoded: CategoryColumns | PairTables | DistributedCategories = rows.encoded
            values: ColumnSummary | CategoricalRows = rows.summary
            is_many, self._category_counts = rows.discretizer.is_many, dict(rows.category_counts)
            self._n_categories: Integers = rows.discretizer.n_categories.astype(np.int64)
        else:
            values = rows.repeated()
            self.encoded, is_many = discretizer.encode(values)
            self._category_counts = {}
        self.is_corrected: Mask = is_many & (correction is not None)
        self._n_missing = values.missing if discretizer.missing == "pairwise" else np.zeros(values.n_features, np.int64)
        self.n_columns = values.n_features
        self._relevance: Floats | None = None
        self.is_observed: Mask = values.is_observed
        #: The total weight of each class, in the order of the labels.
        self.class_weights: Floats = values.class_weights[sort_classes(values.classes)]
        self.n_rows = int(self.class_weights.sum())
        #: Whether pairs of columns are counted over some of the rows.
        self.has_missing = discretizer.missing == "pairwise" and bool((values.missing > 0).any())

    @property
    def relevance(self) -> Floats:
        """The information of each column with the class; NaN where it was never observed."""
        # Not a cached_property: all tables share its lock, which a process forked meanwhile would wait for in vain.
        if self._relevance is None:
            self._relevance = self._with_class(self.encoded.information, chance_information)
        return self._relevance

    def chi_square(self) -> Floats:
        """Return Pearson's chi-square of each column with the class; NaN where it was never observed."""
        return self._with_class(self.encoded.chi_square, chance_chi_square)

    def add_information(self, selected: Indices, columns: Indices, counted: Indices, sums: Floats) -> int:
        """Add to each column's sum its information with the selected ones that are not counted yet, in their order.

        counted : the number of selected columns that each sum counts already; returns the number of pairs evaluated
        """
        n_pairs = len(columns) * len(selected) - int(counted.sum())
        if not self.is_corrected.any():
            self.encoded.add_information(selected, columns, counted, sums, self.threads(n_pairs))
            return n_pairs
        for index, other in enumerate(selected.tolist()):
            new = np.flatnonzero(counted <= index)
            # A column's information with itself is not asked for: it is selected already.
            new = new[columns[new] != other]
            sums[new] += self.information(other, columns[new])
        return n_pairs

    def category_counts(self, column: int) -> Integers:
        """Return the numbers of rows in the categories of a column that hold any, ascending: their order means nothing.

        The class is the last column.
        """
        counts = self._counts_of(column)
        return np.sort(counts[counts > 0])

    def _counts_of(self, column: int) -> Integers:
        if column == self.n_columns:
            return self.class_weights.astype(np.int64)
        if isinstance(self.encoded, DistributedCategories):
            return self.encoded.category_counts(column)
        if column not in self._category_counts:
            if not isinstance(self.encoded, CategoryColumns):
                raise TypeError("the rows of this column were not counted")
            codes = np.zeros(self.n_rows, dtype=np.int32)
            n_groups = self.encoded.refine(codes, 1, column)
            counts = np.bincount(codes, minlength=n_groups)
            if (n_missing := int(self._n_missing[column])) > 0:
                # The rows without a category are a group too; of equal numbers it does not matter which is left out.
                counts = np.delete(counts, np.flatnonzero(counts == n_missing)[0])
            self._category_counts[column] = counts
        return self._category_counts[column]

    def counts_by_class(self) -> tuple[Integers, Integers]:
        """Return the rows in each category of every column, one after the other, by class; and where columns begin."""
        if isinstance(self.encoded, PairTables):
            cells, n_categories = np.asarray(self.encoded.cells()), self._n_categories
        elif isinstance(self.encoded, CategoryColumns):
            n_categories = np.array([n_categories_of(self.encoded, j) for j in range(self.n_columns)], dtype=np.int64)
            cells = np.empty((int(n_categories.sum()), len(self.class_weights)), dtype=np.int64)
            columns = np.arange(self.n_columns)
            self.encoded.joint_counts(self.n_columns, columns, cells, self.threads(self.n_columns))
        else:
            raise TypeError("the rows of these columns stay with the workers of an engine")
        return cells, np.cumsum(n_categories) - n_categories

    def information(self, column: int, others: Indices) -> Floats:
        """Return the information of a column with each of others, beyond chance where either has many categories."""
        found = np.empty(len(others))
        self.encoded.information(column, others, found, self.threads(len(others)))
        is_corrected = self.is_corrected[others] | self.is_corrected[column]
        return self._beyond_chance(column, others, found, is_corrected, chance_information)

    def _beyond_chance(
        self, column: int, others: Indices, found: Floats, is_corrected: Mask, chance_of: ChanceOf
    ) -> Floats:
        """Return what was found of a column with others, less what chance gives, where this is corrected."""
        corrected = np.flatnonzero(is_corrected)
        if len(corrected) == 0:
            return found
        counts = self.category_counts(column)
        others_counts = [self.category_counts(other) for other in others[corrected].tolist()]
        if self.has_missing:
            for index, of_other in zip(corrected, others_counts, strict=True):
                both = _in_proportion(counts, of_other, self.n_rows)
                found[index] = chance_of(both[0], [both[1]]).beyond(found[[index]])[0]
        else:
            found[corrected] = chance_of(counts, others_counts).beyond(found[corrected])
        return found

    def threads(self, n_pairs: int) -> int:
        """Return the number of threads that pay for this number of pairs of columns."""
        return thread_count() if n_pairs * self.n_rows > _MIN_PAIRS_PER_THREAD else 1

    def _with_class(self, measure: Callable[[int, Indices, Floats, int], None], chance_of: ChanceOf) -> Floats:
        out, columns = np.empty(self.n_columns), np.arange(self.n_columns)
        measure(self.n_columns, columns, out, self.threads(self.n_columns))
        out = self._beyond_chance(self.n_columns, columns, out, self.is_corrected & self.is_observed, chance_of)
        return np.where(self.is_observed, out, np.nan)


def _in_proportion(counts: Integers, others: Integers, n_rows: int) -> tuple[Integers, Integers]:
    """Return both counts in proportion to the rows that are probably in some category of both columns.

    Where values are missing, the rows in which both are observed are counted, and their margins are not kept.
    """
    n_both = max(round(int(counts.sum()) * int(others.sum()) / max(n_rows, 1)), 1)

    def scaled(numbers: Integers) -> Integers:
        ends = np.cumsum(np.sort(numbers)) * n_both
        return np.diff(ends // max(int(numbers.sum()), 1), prepend=0)

    return scaled(counts), scaled(others)


#: Information between columns, and of columns with the class, whichever way their density is estimated.
InformationTable = CategoryTable | ParzenTable
#: The statistics that it is computed from.
InformationRows = Rows | CategoricalRows | SecondPass


class CategoricalCriterion:
    """Criteria that count categories: they take text, and keep the rows, a byte a value.

    Rows of a stream that are too many are read twice: to fit the discretizer, and to count categories.

    counts : what has to be counted, as in SecondPass; "rows" for joint categories
    """

    counts: ClassVar[str] = "classes"
    offers: ClassVar[frozenset[str]] = frozenset({"score_features"})
    discretizer: Discretizer
    correction: str | None

    @property
    def takes_text(self) -> bool:
        """Whether text is categories, not refused."""
        return True

    def used_discretizer(self) -> Discretizer:
        """Return how columns become categories; without a correction rare categories are not pooled."""
        return self.discretizer if self.correction is not None else replace(self.discretizer, min_rows=0)

    def category_table(self, rows: CategoricalRows | SecondPass) -> CategoryTable:
        """Return the columns of these rows as categories."""
        return CategoryTable(rows, self.used_discretizer(), self.correction)

    def statistic(self) -> Rows | CategoricalRows:
        """Return an empty statistic that keeps the rows."""
        return CategoricalRows()

    def column_summary(self) -> ColumnSummary | None:
        """Return the statistic of a first pass; None where all values of a column are needed at once."""
        return None if self.discretizer.discretize in (None, "frequency") else ColumnSummary()

    def second_pass(
        self, summary: ColumnSummary, few_bytes: int = CATEGORIES, max_bytes: int = MOST_CATEGORIES
    ) -> SecondPass:
        """Return the statistic of a second pass that takes the least memory; raise where none takes little enough.

        few_bytes : up to here rows are kept as bits, whatever pairs take
        """
        fitted = self.used_discretizer().fit(summary)
        if self.counts == "classes":
            return SecondPass(fitted, summary, "classes")
        n_categories = fitted.n_categories.astype(np.int64)
        n_rows = int(summary.class_weights.sum())
        for_bits = n_rows * int(np.where(n_categories > 16, 16, n_categories).sum()) // 8
        for_pairs = 8 * (int(n_categories.sum()) + len(summary.class_weights)) ** 2
        if for_bits > few_bytes and self.counts == "pairs" and for_pairs <= min(for_bits, max_bytes):
            return SecondPass(fitted, summary, "pairs")
        what = f"{n_rows:,} rows of {summary.n_features:,} columns (all pairs: {size_text(for_pairs)}) take"
        advice = "Choose columns first, such as by MaxRelevance(n_features=1000), or use a sample (sample=10000)."
        check_memory(for_bits, max_bytes, what, advice)
        return SecondPass(fitted, summary, "rows")


@dataclass(frozen=True, kw_only=True)
class InformationCriterion(CategoricalCriterion):
    """Criteria that measure information, of categories or of densities estimated with a Gaussian kernel.

    Parameters
    ----------
    discretizer : Discretizer, default=Discretizer()
        How columns become categories.
    density : {"discrete", "parzen"}, default="discrete"
        Whether categories are counted, or a Gaussian is put on each value of complete columns of numbers.
    correction : {"auto", None}, default="auto"
        As in fewest.MRMR.
    width, covariance : default="silverman", "diagonal"
        Of the Gaussians, as in fewest.MRMR.
    """

    density: str = "discrete"
    correction: str | None = "auto"
    width: float | str = "silverman"
    covariance: str = "diagonal"

    def __init_subclass__(cls) -> None:
        compose_docstring(cls)

    def __post_init__(self) -> None:
        check_choice("density", self.density, ("discrete", "parzen"))
        check_choice("correction", self.correction, CORRECTIONS)
        rules = "'silverman' or 'scott'"
        if is_number(self.width):
            check_positive("width", self.width, at_least=0.01, below=100.0, end=f", {rules}")
        elif not (isinstance(self.width, str) and self.width in ("silverman", "scott")):
            raise wrong("width", f"a number of standard deviations, {rules}", self.width)
        check_choice("covariance", self.covariance, ("diagonal", "full"))

    @property
    def takes_text(self) -> bool:
        return self.density == "discrete"

    def statistic(self) -> Rows | CategoricalRows:
        return CategoricalRows() if self.density == "discrete" else Rows()

    def column_summary(self) -> ColumnSummary | None:
        return super().column_summary() if self.density == "discrete" else None

    def table(self, rows: InformationRows) -> InformationTable:
        """Return the information between the columns of these rows."""
        if isinstance(rows, Rows):
            return ParzenTable(rows, width=self.width, covariance=self.covariance)
        return self.category_table(rows)


@dataclass(frozen=True)
class MutualInformation(InformationCriterion):
    """The mutual information of each feature with the class, in nats.

    I(x; c) = sum over categories of p(x, c) log p(x, c) / (p(x) p(c)); with density="parzen" the mean over rows of
    log p(x, c) / (p(x) p(c)), p(x) being a sum of Gaussians.

    See Also
    --------
    fewest.MaxRelevance : The selector with this criterion, and its reference.
    RelevanceRedundancy : The same less the information with the selected features.
    ChiSquareStatistic : Pearson's chi-square of the same counts.

    Notes
    -----
    Keeps the rows, a byte a value where they are integers of a narrow range, or reads a large stream twice. Does not
    see redundancy, nor what features share with the class only together.

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, MutualInformation, scan
    >>> FeatureSelector(MutualInformation(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'od280/od315_of_diluted_wines', 'proline')
    """

    discretizer: Discretizer = field(default_factory=Discretizer)

    @property
    def offers(self) -> frozenset[str]:  # type: ignore[override]
        """The methods of the objective that a search may use."""
        return frozenset({"score_features", "p_values"} if self.density == "discrete" else {"score_features"})

    def bind(self, rows: InformationRows) -> ColumnScores:
        """Return the information of each column of these rows with the class."""
        table = self.table(rows)
        if isinstance(table, ParzenTable):
            return ColumnScores(table.relevance)
        return CategoryScores(table.relevance, table, "G test")

    def permutation_rows(self) -> Rows | CategoricalRows:
        """Return an empty statistic of the rows whose labels are permuted."""
        return self.statistic()

    def permutation_scorer(self, rows: InformationRows) -> PermutedCategories | None:
        """Return what scores columns under permuted labels; None for densities and sparse rows."""
        return PermutedCategories.of(rows, self.used_discretizer(), "information")


@dataclass(frozen=True)
class ChiSquareStatistic(CategoricalCriterion):
    """Pearson's chi-square of the counts of each feature's categories by class.

    The sum over categories and classes of (count - expected)^2 / expected.

    Parameters
    ----------
    discretizer : Discretizer, default=Discretizer()
        How columns become categories.
    correction : {"auto", None}, default="auto"
        As in fewest.ChiSquare.

    See Also
    --------
    fewest.ChiSquare : The selector with this criterion, and its reference.
    MutualInformation : The information in the same counts.

    Notes
    -----
    Keeps the rows, a byte a value, or reads a large stream twice. Does not see redundancy.

    Examples
    --------
    >>> from fewest import ChiSquareStatistic, FeatureSelector, IndividualRanking, scan
    >>> FeatureSelector(ChiSquareStatistic(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'od280/od315_of_diluted_wines', 'proline')
    """

    discretizer: Discretizer = field(default_factory=Discretizer)
    correction: str | None = "auto"

    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "p_values"})

    def __post_init__(self) -> None:
        check_choice("correction", self.correction, CORRECTIONS)

    def bind(self, rows: CategoricalRows | SecondPass) -> CategoryScores:
        """Return the statistic of each column of these rows."""
        table = self.category_table(rows)
        return CategoryScores(table.chi_square(), table, "chi-square test")

    def permutation_rows(self) -> Rows | CategoricalRows:
        """Return an empty statistic of the rows whose labels are permuted."""
        return self.statistic()

    def permutation_scorer(self, rows: CategoricalRows | SecondPass) -> PermutedCategories | None:
        """Return what scores columns under permuted labels; None for sparse rows."""
        return PermutedCategories.of(rows, self.used_discretizer(), "chi_square")

"""The information between columns, and the base of the criteria that need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from fewest._core import CategoryColumns
from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.data.labels import sort_classes
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.second_pass import SecondPass, second_pass_of
from fewest.methods.information.parzen_table import ParzenTable
from fewest.parameters import check_choice
from fewest.statistics.rows import Rows
from fewest.threads import thread_count

DENSITIES = ("discrete", "parzen")
#: With fewer pairs of values than this, counting takes less time than starting a second thread.
_MIN_PAIRS_PER_THREAD = 2_000_000


class CategoryTable:
    """The columns as categories, with the class as one more, and the information between any of them in nats.

    A row of weight 2 is the row twice; weights must be integers.
    """

    def __init__(self, rows: CategoricalRows | SecondPass, discretizer: Discretizer) -> None:
        if isinstance(rows, SecondPass):
            self.encoded = rows.encoded
        else:
            rows = rows.repeated()
            self.encoded = rows.encode(discretizer)
        self.n_columns = rows.n_features
        self.is_observed: Mask = rows.is_observed
        self.class_counts: Integers = rows.class_weights[sort_classes(rows.classes)].astype(np.int64)
        self.n_rows = int(self.class_counts.sum())
        #: Whether pairs of columns are counted over some of the rows.
        self.has_missing = discretizer.missing == "pairwise" and bool((rows.missing > 0).any())

    @cached_property
    def relevance(self) -> Floats:
        """The information of each column with the class; NaN where it was never observed."""
        out = np.empty(self.n_columns)
        self.encoded.information(self.n_columns, np.arange(self.n_columns), out, self._threads(self.n_columns))
        return np.where(self.is_observed, out, np.nan)

    @cached_property
    def chi_square(self) -> Floats:
        """Pearson's chi-square of each column with the class; NaN where it was never observed."""
        out = np.empty(self.n_columns)
        self.encoded.chi_square(self.n_columns, np.arange(self.n_columns), out, self._threads(self.n_columns))
        return np.where(self.is_observed, out, np.nan)

    @property
    def class_entropy(self) -> float:
        """The entropy of the class."""
        share = self.class_counts[self.class_counts > 0] / self.n_rows
        return float(-(share * np.log(share)).sum())

    def add_information(self, selected: Indices, columns: Indices, counted: Indices, sums: Floats) -> int:
        """Add to each column's sum its information with the selected ones that are not counted yet, in their order.

        counted : the number of selected columns that each sum counts already

        Returns the number of pairs that were evaluated.
        """
        n_pairs = len(columns) * len(selected) - int(counted.sum())
        self.encoded.add_information(selected, columns, counted, sums, self._threads(n_pairs))
        return n_pairs

    def joint(self) -> JointCategories:
        """Return the joint categories of no column yet."""
        return JointCategories(self)

    def _threads(self, n_pairs: int) -> int:
        return thread_count() if n_pairs * self.n_rows > _MIN_PAIRS_PER_THREAD else 1


class JointCategories:
    """The joint categories of columns that are taken one after the other."""

    def __init__(self, table: CategoryTable) -> None:
        if not isinstance(table.encoded, CategoryColumns):
            raise TypeError("joint categories need the rows, and only counts were kept")
        self._table = table
        self._encoded = table.encoded
        self._codes: Codes = np.zeros(table.n_rows, dtype=np.int32)
        self._n_joint = 1
        self.columns: list[int] = []

    def take(self, columns: Sequence[int]) -> None:
        """Make these the columns taken; those taken before are extended where they are the first of them."""
        if self.columns != list(columns[: len(self.columns)]):
            self._codes[:] = 0
            self._n_joint, self.columns = 1, []
        for column in columns[len(self.columns) :]:
            self._n_joint = self._encoded.refine(self._codes, self._n_joint, column)
            self.columns.append(column)

    def information(self) -> float:
        """Return the information of at least one column taken with the class: one of them again adds nothing."""
        return float(self.information_with(np.array(self.columns[:1], dtype=np.intp))[0])

    def information_with(self, others: Indices) -> Floats:
        """Return the information of the columns taken and each of others, together, with the class."""
        out, n_threads = np.empty(len(others)), self._table._threads(len(others))
        self._encoded.joint_information(self._table.n_columns, self._codes, self._n_joint, others, out, n_threads)
        return out


#: Information between columns, and of columns with the class, whichever way their density is estimated.
InformationTable = CategoryTable | ParzenTable


class CategoricalCriterion:
    """Criteria that count categories: they take text, and keep the rows, a byte a value.

    Rows of a stream that are too many are read twice: to fit the discretizer, and to count categories.

    counts : what has to be counted: "classes", categories with the class; "pairs", of columns with each other; "rows",
        joint categories, which need the rows
    """

    counts: ClassVar[str] = "classes"
    discretizer: Discretizer

    @property
    def takes_text(self) -> bool:
        """Whether text is categories, not refused."""
        return True

    def statistic(self) -> Rows | CategoricalRows:
        """Return an empty statistic that keeps the rows."""
        return CategoricalRows()

    def column_summary(self) -> ColumnSummary | None:
        """Return the statistic of a first pass; None where all values of a column are needed at once."""
        return None if self.discretizer.discretize in (None, "frequency") else ColumnSummary()

    def second_pass(self, summary: ColumnSummary) -> SecondPass:
        """Return the statistic of a second pass."""
        return second_pass_of(self.discretizer, summary, self.counts)


@dataclass(frozen=True, kw_only=True)
class InformationCriterion(CategoricalCriterion):
    """Criteria that measure information, of categories or of densities estimated with a Gaussian kernel."""

    density: str = "discrete"

    def __post_init__(self) -> None:
        check_choice("density", self.density, DENSITIES)

    @property
    def takes_text(self) -> bool:
        return self.density == "discrete"

    def statistic(self) -> Rows | CategoricalRows:
        return CategoricalRows() if self.density == "discrete" else Rows()

    def column_summary(self) -> ColumnSummary | None:
        return super().column_summary() if self.density == "discrete" else None

    def table(self, rows: Rows | CategoricalRows | SecondPass) -> InformationTable:
        """Return the information between the columns of these rows."""
        return ParzenTable(rows) if isinstance(rows, Rows) else CategoryTable(rows, self.discretizer)

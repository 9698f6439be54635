"""The information of features together with the class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fewest._core import CategoryColumns
from fewest.arrays import Codes, Floats, Indices, Integers
from fewest.errors import InvalidInput
from fewest.memory import check_memory
from fewest.methods.information.beyond_chance import Chance, chance_information_within
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.information_criteria import CategoryTable, InformationCriterion, InformationRows
from fewest.methods.information.parzen_table import ParzenTable
from fewest.protocols import Objective
from fewest.threads import thread_count

_TIE = 1e-12
#: The number of values that are made uncorrelated at a time.
_AT_ONCE = 1 << 20


class JointCategories:
    """The joint categories of columns that are added one after the other.

    has_corrected : whether a column of many categories, with a correction, is among those added
    """

    def __init__(self, table: CategoryTable) -> None:
        if not isinstance(table.encoded, CategoryColumns):
            raise TypeError("joint categories need the rows, and only counts were kept")
        self._table, self._encoded = table, table.encoded
        self._codes: Codes = np.zeros(table.n_rows, dtype=np.int32)
        self._n_joint = 1
        self._last = 0
        self.has_corrected = False

    def add(self, column: int) -> None:
        """Split each joint category by the categories of one more column."""
        self._n_joint = self._encoded.refine(self._codes, self._n_joint, column)
        self._last = column
        self.has_corrected |= bool(self._table.is_corrected[column])

    def information(self) -> float:
        """Return the information of the columns added, one at least, with the class."""
        # One of them again adds nothing.
        return float(self.information_with(np.array([self._last]))[0])

    def information_with(self, others: Indices) -> Floats:
        """Return the information of the columns added and each of others, together, with the class."""
        out, n_threads = np.empty(len(others)), self._table.threads(len(others))
        self._encoded.joint_information(self._table.n_columns, self._codes, self._n_joint, others, out, n_threads)
        return out

    def information_beyond_chance(self, others: Indices) -> Floats:
        """Return the same, where a column adds only what is beyond chance within the joint categories so far.

        Of columns of few categories, as long as none of many was added, it is the plain information.
        """
        found = self.information_with(others)
        corrected = np.flatnonzero(self._table.is_corrected[others] | self.has_corrected)
        if len(corrected) == 0:
            return found
        so_far = self.information() if self._n_joint > 1 else 0.0
        for index, chance in zip(corrected.tolist(), self.chances(others[corrected]), strict=True):
            found[index] = so_far + chance.beyond(np.maximum(found[[index]] - so_far, 0.0))[0]
        return found

    def chances(self, others: Indices) -> Iterator[Chance]:
        """Give the information with the class that each of others has by chance within the joint categories."""
        parts = np.bincount(self._codes, minlength=self._n_joint)
        by_class, part_of_class = self._split(self._table.n_columns)
        # The classes of a joint category, in any order, one after the other.
        order = np.argsort(part_of_class, kind="stable")
        starts = np.searchsorted(part_of_class[order], np.arange(self._n_joint))
        classes = np.zeros((self._n_joint, len(self._table.class_weights)), dtype=np.int64)
        classes[part_of_class[order], np.arange(len(order)) - starts[part_of_class[order]]] = by_class[order]
        for column in others.tolist():
            rows, part = self._split(column)
            yield chance_information_within(parts, np.column_stack([part, rows]), classes)

    def _split(self, column: int) -> tuple[Integers, Integers]:
        """Return the rows in each joint category with one more column, and the joint category that it is a part of."""
        codes = self._codes.copy()
        n_split = self._encoded.refine(codes, self._n_joint, column)
        part = np.zeros(n_split, dtype=np.int64)
        part[codes] = self._codes
        return np.bincount(codes, minlength=n_split), part


class JointKernel:
    """The product of the kernels of columns that are added one after the other: a number for every two rows."""

    has_corrected = False

    def __init__(self, table: ParzenTable) -> None:
        size = table.n_rows * (table.n_rows - 1) // 2
        what = f"Joint information with density='parzen' needs a number for every two of the {table.n_rows:,} rows,"
        most = int((table.max_bytes / 4) ** 0.5)
        advice = f"Select on at most {most:,} rows (sample={most}), or use density='discrete', or MRMR."
        check_memory(8 * size, table.max_bytes, what, advice)
        self._kernels = table.columns
        self._product: Floats = np.ones(size)
        self._uncorrelated, self._kernels_rows = table.uncorrelated, max(table.n_rows, 1)
        self._basis: list[Floats] = []

    def add(self, column: int) -> None:
        """Multiply by the kernel of one more column; with full covariance, made uncorrelated with those before."""
        if self._uncorrelated is None:
            self._kernels.multiply(column, self._product, thread_count())
            return
        left, _ = self._uncorrelated.residuals(np.array([column]), self._basis)
        self._uncorrelated.columns_of(left).multiply(0, self._product, thread_count())
        self._basis.append(left[0])

    def information(self) -> float:
        """Return the information of the columns added with the class."""
        return float(self.information_with(np.array([-1]))[0])

    def information_with(self, others: Indices) -> Floats:
        """Return the information of the columns added and each of others, together, with the class."""
        out = np.empty(len(others))
        if self._uncorrelated is None or others[0] < 0:
            self._kernels.joint_information(self._product, others, out, thread_count())
            return out
        # All columns have the same covariance in and outside of a class: its determinant drops out.
        step = max(1, _AT_ONCE // self._kernels_rows)
        for first in range(0, len(others), step):
            left, _ = self._uncorrelated.residuals(others[first : first + step], self._basis)
            columns, some = self._uncorrelated.columns_of(left), np.arange(len(left))
            columns.joint_information(self._product, some, out[first : first + step], thread_count())
        return out

    def information_beyond_chance(self, others: Indices) -> Floats:
        """Return the same: densities have no categories."""
        return self.information_with(others)


class JointInformationObjective(Objective):
    """The information of columns, together with those selected, with the class.

    From where the selected columns determine the class of every row, or no other adds anything beyond chance, relevance
    decides.

    saturated_at : the number of columns from which on it does, or None
    adds_by_chance : whether that is because what other columns add is no more than chance
    """

    def __init__(self, table: CategoryTable | ParzenTable) -> None:
        if table.has_missing:
            raise InvalidInput("Joint categories need every value, and some are missing. Use missing='state'.")
        self.table = table
        self.n_columns = table.n_columns
        self.saturated_at: int | None = None
        self.adds_by_chance = False
        self._joint = _joint_of(table)
        self._added: list[int] = []
        share = table.class_weights[table.class_weights > 0] / table.class_weights.sum()
        self._class_entropy = float(-(share * np.log(share)).sum())

    def score_features(self) -> Floats:
        """Return the relevance: the information of each column with the class."""
        return self.table.relevance

    @property
    def tie_scores(self) -> Floats:
        """The relevance, which decides where joint categories hold the same information."""
        return self.table.relevance

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the information of each of these columns, together with those selected, with the class."""
        if self._added != list(selected[: len(self._added)]):
            self._joint, self._added = _joint_of(self.table), []
        for column in selected[len(self._added) :]:
            self._joint.add(column)
            self._added.append(column)
        if selected and self._joint.information() >= self._class_entropy - _TIE:
            self.saturated_at = min(len(selected), self.saturated_at or len(selected))
            return self.table.relevance[among]
        found = self._joint.information_beyond_chance(among)
        if self._joint.has_corrected and not (found > self._joint.information() + _TIE).any():
            self.adds_by_chance = self.adds_by_chance or self.saturated_at is None
            self.saturated_at = min(len(selected), self.saturated_at or len(selected))
            return self.table.relevance[among]
        return np.where(self.table.is_observed[among], found, np.nan)


def _joint_of(table: CategoryTable | ParzenTable) -> JointCategories | JointKernel:
    return JointKernel(table) if isinstance(table, ParzenTable) else JointCategories(table)


@dataclass(frozen=True)
class JointInformation(InformationCriterion):
    """The information of a subset of features with the class, in nats: I(S; c) over joint categories.

    With density="parzen" over products of Gaussians: a number for every two rows. Once these determine the class of
    every row, I(S; c) cannot grow, and relevance decides.

    See Also
    --------
    fewest.MaxDependency : The selector with this criterion, and its reference.
    MutualInformation : The information of each feature alone.
    RelevanceRedundancy : Relevance and redundancy of pairs, which need fewer rows.

    Notes
    -----
    Keeps the rows, a byte a value where they are integers of a narrow range, or as bits where a large stream is read
    twice. Needs many rows: joint categories soon hold one row each.

    Examples
    --------
    >>> from fewest import FeatureSelector, GreedyForward, JointInformation, scan
    >>> selector = FeatureSelector(JointInformation(), GreedyForward(lazy=False), n_features=3)
    >>> selector.fit(scan("wine")).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    discretizer: Discretizer = field(default_factory=Discretizer)

    counts: ClassVar[str] = "rows"
    needs_all_rows: ClassVar[bool] = True
    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "score_additions"})

    def bind(self, rows: InformationRows) -> JointInformationObjective:
        """Return the objective on these rows."""
        return JointInformationObjective(self.table(rows))

"""What columns of states know of the class and of each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.data.labels import sort_classes
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.rows_as_states import states_of
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.discretisation.state_rows import CategoricalRows
from fewest.threads import thread_count

#: Fewer pairs of values than this are counted sooner than a second thread is started.
_WORTH_A_THREAD = 2_000_000


class CategoryTable:
    """The columns as states, with the class as one more, and the information between any of them in nats.

    A row of weight 2 is the row twice; weights must be whole numbers.
    """

    def __init__(self, rows: CategoricalRows | SecondPass, discretizer: Discretizer) -> None:
        rank = np.argsort(sort_classes(rows.classes))
        if isinstance(rows, SecondPass):
            self.states = rows.states
        else:
            rows = rows.repeated()
            self.states = states_of(rows, discretizer, rank)
        self.n_columns = rows.n_features
        self.is_observed: Mask = rows.is_observed
        self.class_counts: Integers = np.zeros(len(rank), dtype=np.int64)
        self.class_counts[rank] = rows.class_weights
        self.n_rows = int(self.class_counts.sum())
        self.has_gaps = discretizer.missing == "pairwise" and bool((rows.missing > 0).any())

    @cached_property
    def relevance(self) -> Floats:
        """What each column knows of the class; NaN where it was never observed."""
        known = self.information(self.n_columns, np.arange(self.n_columns))
        return np.where(self.is_observed, known, np.nan)

    @cached_property
    def chi_square(self) -> Floats:
        out = np.empty(self.n_columns)
        self.states.chi_square(self.n_columns, np.arange(self.n_columns), out, self._threads(self.n_columns))
        return np.where(self.is_observed, out, np.nan)

    @property
    def class_entropy(self) -> float:
        """What there is to know of the class."""
        share = self.class_counts[self.class_counts > 0] / self.n_rows
        return float(-(share * np.log(share)).sum())

    def information(self, column: int, others: Indices) -> Floats:
        """What a column knows of each of others."""
        out = np.empty(len(others))
        self.states.information(column, others, out, self._threads(len(others)))
        return out

    def add_information(self, chosen: Indices, columns: Indices, counted: Indices, sums: Floats) -> int:
        """Add to each column's sum what it knows of the chosen ones that are not counted yet, in their order; how many
        pairs that were."""
        n_pairs = len(columns) * len(chosen) - int(counted.sum())
        self.states.add_information(chosen, columns, counted, sums, self._threads(n_pairs))
        return n_pairs

    def joint_information(self, joint: Codes, n_joint: int, others: Indices) -> Floats:
        """What joint states, one a row, know of the class together with each of others."""
        out = np.empty(len(others))
        self.states.joint_information(self.n_columns, joint, n_joint, others, out, self._threads(len(others)))
        return out

    def _threads(self, n_pairs: int) -> int:
        return thread_count() if n_pairs * self.n_rows > _WORTH_A_THREAD else 1


class JointCategories:
    """The joint states of columns taken one after the other."""

    def __init__(self, table: CategoryTable) -> None:
        self.table = table
        self.joint: Codes = np.zeros(table.n_rows, dtype=np.int32)
        self.n_joint = 1
        self.columns: list[int] = []

    def take(self, columns: Sequence[int]) -> None:
        """Make these the columns taken; they mostly go on from those that are."""
        if self.columns != list(columns[: len(self.columns)]):
            self.joint[:] = 0
            self.n_joint, self.columns = 1, []
        for column in columns[len(self.columns) :]:
            self.n_joint = self.table.states.refine(self.joint, self.n_joint, column)
            self.columns.append(column)

    def information(self) -> float:
        """What the joint states of at least one column know of the class: a column taken adds nothing to them."""
        return float(self.information_with(np.array(self.columns[:1], dtype=np.intp))[0])

    def information_with(self, others: Indices) -> Floats:
        """What the joint states know of the class together with each of others."""
        return self.table.joint_information(self.joint, self.n_joint, others)

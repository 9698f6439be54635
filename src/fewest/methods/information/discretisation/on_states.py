"""What criteria share whose columns are states."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from fewest.errors import InvalidInput
from fewest.methods.information.discretisation.column_summary import ColumnSummary
from fewest.methods.information.discretisation.discretizer import FEW_VALUES, Discretizer
from fewest.methods.information.discretisation.fitted_discretizer import FittedDiscretizer
from fewest.methods.information.discretisation.second_pass import ContingencyTables, PackedBits, SecondPass
from fewest.methods.information.discretisation.state_rows import CategoricalRows

#: Up to here rows as bits are kept rather than counted in pairs, and then up to the second where pairs take no less.
_FEW_BYTES = 256 << 20
_MANY_BYTES = 2 << 30


class CategoricalCriterion:
    """Criteria whose columns are states: they take text, and keep the rows, a byte a value. Rows of a stream that are
    too many are read twice: to learn how each column becomes states, and to count them.

    counts : what has to be counted: "classes", states with the class; "pairs", of columns with each other; "rows", what
        only rows can tell
    """

    counts: ClassVar[str] = "classes"
    discretizer: Discretizer

    @property
    def takes_text(self) -> bool:
        return True

    def statistic(self) -> Any:
        return CategoricalRows()

    def column_summary(self) -> ColumnSummary | None:
        """What a first read shall leave behind; None where all values of a column are needed at once."""
        return None if self.discretizer.discretize in (None, "frequency") else ColumnSummary(FEW_VALUES)

    def second_pass(self, known: ColumnSummary) -> SecondPass:
        """What a second read shall leave behind."""
        learned = FittedDiscretizer(self.discretizer, known)
        if self.counts == "classes":
            return ContingencyTables(learned, known, of_all_pairs=False)
        n_states = learned.n_states.astype(np.int64)
        n_rows = int(known.class_weights.sum())
        for_bits = n_rows * int(np.where(n_states > 16, 16, n_states).sum()) // 8
        for_pairs = 8 * (int(n_states.sum()) + len(known.class_weights)) ** 2
        if for_bits > _FEW_BYTES and self.counts == "pairs" and for_pairs <= min(for_bits, _MANY_BYTES):
            return ContingencyTables(learned, known)
        if for_bits > _MANY_BYTES:
            raise InvalidInput(
                f"{n_rows:,} rows of {known.n_features:,} columns take {for_bits / 2**30:.1f} GiB as states, and their "
                f"counts in pairs {for_pairs / 2**30:.1f} GiB; {_MANY_BYTES / 2**30:.0f} GiB are allowed. Choose "
                "columns first, such as by MaxRelevance(n_features=1000), or give fewer rows."
            )
        return PackedBits(learned, known)

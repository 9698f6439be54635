"""What criteria share whose columns are states."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from fewest.errors import InvalidInput
from fewest.methods.information.discretisation.column_summary import ColumnOutline
from fewest.methods.information.discretisation.discretizer import FEW_VALUES, Coding
from fewest.methods.information.discretisation.fitted_discretizer import LearnedStates
from fewest.methods.information.discretisation.second_pass import ContingencyTables, CountedAgain, StateBits
from fewest.methods.information.discretisation.state_rows import StateRows

#: Up to here rows as bits are kept rather than counted in pairs, and then up to the second where pairs take no less.
_FEW_BYTES = 256 << 20
_MANY_BYTES = 2 << 30


class OnStates:
    """Criteria whose columns are states: they take text, and keep the rows, a byte a value. Rows of a stream that are
    too many are read twice: to learn how each column becomes states, and to count them.

    counts : what has to be counted: "classes", states with the class; "pairs", of columns with each other; "rows", what
        only rows can tell
    """

    counts: ClassVar[str] = "classes"
    coding: Coding

    @property
    def takes_text(self) -> bool:
        return True

    def statistic(self) -> Any:
        return StateRows()

    def outline(self) -> ColumnOutline | None:
        """What a first read shall leave behind; None where the coding has to look at all values of a column at once."""
        return None if self.coding.discretize in (None, "frequency") else ColumnOutline(FEW_VALUES)

    def statistic_after(self, known: ColumnOutline) -> CountedAgain:
        """What a second read shall leave behind."""
        learned = LearnedStates(self.coding, known)
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
        return StateBits(learned, known)

"""What the selectors share that fit linear machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.selection import Selection
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class MachineSelector(Selector):
    """A selector that fits linear machines, for more than two classes each against the rest.

    Columns are standardized unless `scale` says otherwise.
    """

    takes: ClassVar[str] = "numbers without gaps"
    proves: ClassVar[str] = "nothing: no objective"

    def allows_missing(self) -> bool:
        return False


@dataclass(eq=False, repr=False)
class WeighingSelector(MachineSelector):
    """A machine selector that takes the columns which weigh most; many may have no weight at all."""

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.weights_: Floats = objective.weights

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        scores = objective.score_features()
        n_told = int(np.count_nonzero(scores > 0))
        if n_told >= len(selection):
            return ()
        return (f"the machines use {n_told} columns; what was chosen besides is in the order of the table, no better",)

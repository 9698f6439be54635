"""What the selectors share that rank columns by their mean margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fewest.arrays import Floats
from fewest.selection import Selection
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class MarginSelector(Selector):
    """A selector of the Relief family: scores_ are signed mean margins, weights_ the unit vector that makes the most of
    them.

    Columns are scaled to [0, 1] unless `scale` says otherwise.
    """

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.weights_: Floats = objective.weights

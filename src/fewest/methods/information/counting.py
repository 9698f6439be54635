"""What the selectors share whose columns are states."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class CountingSelector(Selector):
    """A selector that counts how often states of columns meet.

    MRMR describes how columns become states.
    """

    takes: ClassVar[str] = "numbers, text and categories, gaps allowed"
    cost: ClassVar[str] = "one read, rows as bytes; two of a large stream"

    _: KW_ONLY
    discretize: str | None = "auto"
    n_bins: int = 5
    factor: float = 1.0
    missing: str = "state"

    def discretizer(self) -> Discretizer:
        return Discretizer(self.discretize, self.n_bins, self.factor, self.missing)

"""What the selectors share whose columns are states."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from fewest.criteria.coding import Coding
from fewest.selectors.selector import Selector


@dataclass(eq=False, repr=False)
class CountingSelector(Selector):
    """A selector that counts how often states of columns meet.

    Its own parameters, which those below repeat by reference:

    discretize : "auto", None, "mean", "sigma", "width" or "frequency", default="auto"
        How a column becomes states. "auto": text, categories, booleans and whole numbers of at most 10 values are
        states as they are; the rest are cut as by "sigma". None: every column as it is. "mean": above the mean or not.
        "sigma": below, within or above mean ± factor standard deviations. "width", "frequency": n_bins of equal width,
        or of about as many rows each. Cuts are learned on the training rows.
    n_bins : int, default=5
    factor : float, default=1.0
    missing : "state" or "pairwise", default="state"
        A missing value is a state of its own, or a pair is counted over the rows where both are observed.
    """

    takes: ClassVar[str] = "numbers, text and categories, gaps allowed"
    cost: ClassVar[str] = "one read, and the rows as codes"

    _: KW_ONLY
    discretize: str | None = "auto"
    n_bins: int = 5
    factor: float = 1.0
    missing: str = "state"

    def coding(self) -> Coding:
        return Coding(self.discretize, self.n_bins, self.factor, self.missing)

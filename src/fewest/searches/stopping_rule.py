"""When a search has taken enough that was not told how many to take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Worths within this of each other are equal.
_TIE = 1e-12


@dataclass(frozen=True)
class StoppingRule:
    """Go on while the next set is worth no less than the last, and return the smallest that is worth most.

    at_most : the largest size gone up to; None for all columns
    enough : what no set can be worth more than; one that is worth it ends the search

    With errors of 10, 8, 4, 4, 4, 7 for one to six features: the search ends at six and returns three.
    """

    at_most: int | None = None
    enough: float = math.inf

    def limit(self, n_columns: int) -> int:
        return n_columns if self.at_most is None else min(self.at_most, n_columns)

    def is_over(self, worths: Sequence[float]) -> bool:
        """Whether to end after sets of these worths, the last one last."""
        is_worse = len(worths) > 1 and worths[-1] < worths[-2] - _TIE
        return is_worse or worths[-1] >= self.enough


def first_best(worths: Sequence[float]) -> int:
    """The position of the first that is worth most."""
    most = max(worths)
    return next(i for i, worth in enumerate(worths) if worth >= most - _TIE)


def is_better(worth: float, than: float) -> bool:
    return worth > than + _TIE

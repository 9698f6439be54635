"""When a search for a subset of any size ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Values within this of each other are equal.
TIE = 1e-12


@dataclass(frozen=True)
class StoppingRule:
    """End when the value of the subset falls, and return the smallest subset of the largest value.

    With errors of 10, 8, 4, 4, 4, 7 for one to six features: the search ends at six and returns three.

    Parameters
    ----------
    at_most : int or None, default=None
        The largest size; None is the number of columns.
    enough : float, default=inf
        A value that no subset can exceed; a subset that reaches it ends the search.

    See Also
    --------
    GreedyForward : Adds features one at a time.
    GreedyFloating : Adds features, and removes those that have become superfluous.

    Examples
    --------
    >>> from fewest import BayesError, GreedyForward, StoppingRule, scan
    >>> objective = BayesError().bind(scan("wine").collect(BayesError().statistic()))
    >>> found = GreedyForward(lazy=False, stop=StoppingRule(at_most=5)).run(objective, n_features=None)
    >>> len(found)
    5
    """

    at_most: int | None = None
    enough: float = math.inf

    def limit(self, n_columns: int) -> int:
        """Return the largest size to try."""
        return n_columns if self.at_most is None else min(self.at_most, n_columns)

    def is_over(self, values: Sequence[float]) -> bool:
        """Return whether to end after subsets of these values, in the order of their sizes."""
        is_worse = len(values) > 1 and values[-1] < values[-2] - TIE
        return is_worse or values[-1] >= self.enough

"""A decision stump: one threshold in one column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Integers


@dataclass(frozen=True)
class Stump:
    """Rows of at most the threshold are said to be of class `below`, the others `above`.

    missing_below : rows without a value count as below
    wrong : what it gets wrong, by count
    """

    threshold: float
    below: int
    above: int
    missing_below: bool
    wrong: int

    def says(self, values: Floats) -> Indices:
        """The class that each row is said to be of."""
        is_below = values <= self.threshold
        if self.missing_below:
            is_below |= np.isnan(values)
        return np.where(is_below, self.below, self.above)


def best_stump(values: Floats, codes: Codes, counts: Integers, preferred: Indices, tie: float) -> Stump:
    """The stump that gets most right, by count; the lowest threshold of those within `tie` of it, by share.

    preferred : the classes, those first that are said where several weigh the same

    Pre: the column has at least two values.
    """
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    ordered = values[order]
    # Positions of rows that are the last of their value, but for the highest value.
    ends = np.flatnonzero(ordered[1:] > ordered[:-1])
    is_missing = np.isnan(values)
    below, missing, total = [], [], []
    for c in preferred:
        of_class = np.where(codes == c, counts, 0)
        below.append(np.cumsum(of_class[order])[ends])
        missing.append(of_class[is_missing].sum())
        total.append(of_class.sum())
    beside, everything = np.array(missing)[:, None], np.array(total)[:, None]
    slack = tie * float(everything.sum())
    # Ways to treat the missing: a row each, of what lies below every threshold, by class.
    ways = [np.array(below) + beside, np.array(below)] if is_missing.any() else [np.array(below)]
    right = np.array([side.max(axis=0) + (everything - side).max(axis=0) for side in ways])
    place = int(np.flatnonzero((right >= right.max() - slack).any(axis=0))[0])
    way = int(np.flatnonzero(right[:, place] >= right.max() - slack)[0])
    sides = ways[way][:, place], everything[:, 0] - ways[way][:, place]
    said = [int(np.flatnonzero(side >= side.max() - slack)[0]) for side in sides]
    low, high = float(ordered[ends[place]]), float(ordered[ends[place] + 1])
    middle = low + (high - low) / 2
    return Stump(
        threshold=middle if middle < high else low,
        below=int(preferred[said[0]]),
        above=int(preferred[said[1]]),
        missing_below=way == 0 and len(ways) > 1,
        wrong=int(everything.sum() - sides[0][said[0]] - sides[1][said[1]]),
    )

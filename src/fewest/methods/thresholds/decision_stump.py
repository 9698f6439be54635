"""The decision stump with the least weighted error: one threshold in one column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Integers


@dataclass(frozen=True)
class Stump:
    """Predict class `below` up to the threshold, `above` otherwise; n_wrong is the weight of the misclassified rows."""

    threshold: float
    below: int
    above: int
    missing_below: bool
    n_wrong: int

    def predict(self, values: Floats) -> Indices:
        """Return the predicted class of each row from its value."""
        is_below = values <= self.threshold
        if self.missing_below:
            is_below |= np.isnan(values)
        return np.where(is_below, self.below, self.above)


def best_stump(values: Floats, codes: Codes, counts: Integers, preference: Indices, tie: float) -> Stump:
    """Return the stump of least weighted error; the lowest threshold among those within `tie` (a share) of it.

    counts : the integer weight of each row
    preference : the classes in the order of preference where several have the same weight on a side

    Pre: the column has at least two distinct values.
    """
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    ordered = values[order]
    # The last row of each distinct value, except the highest: a threshold follows each.
    ends = np.flatnonzero(ordered[1:] > ordered[:-1])
    is_missing = np.isnan(values)
    by_class = np.where(codes == preference[:, None], counts, 0)
    below = np.array([np.cumsum(of_class[order])[ends] for of_class in by_class])
    total = by_class.sum(axis=1)[:, None]
    slack = tie * float(total.sum())
    # The class weights below each threshold: with the rows without a value, then without them.
    options = [below + by_class[:, is_missing].sum(axis=1)[:, None], below] if is_missing.any() else [below]
    correct = np.array([side.max(axis=0) + (total - side).max(axis=0) for side in options])
    is_best = correct >= correct.max() - slack
    t = int(np.flatnonzero(is_best.any(axis=0))[0])
    option = int(np.flatnonzero(is_best[:, t])[0])
    sides = options[option][:, t], total[:, 0] - options[option][:, t]
    predicted = [int(np.flatnonzero(side >= side.max() - slack)[0]) for side in sides]
    low, high = float(ordered[ends[t]]), float(ordered[ends[t] + 1])
    middle = low + (high - low) / 2
    n_wrong = int(total.sum() - sides[0][predicted[0]] - sides[1][predicted[1]])
    below_class, above_class = (int(preference[c]) for c in predicted)
    missing_below = option == 0 and len(options) > 1
    return Stump(middle if middle < high else low, below_class, above_class, missing_below, n_wrong)

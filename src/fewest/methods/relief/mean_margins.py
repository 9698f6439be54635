"""Mean margins of columns, and the column weights that maximise them."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats
from fewest.objectives import ColumnScores


def unit_weights(margins: Floats) -> Floats:
    """Return the unit vector w >= 0 with the largest w . margins: their positive part divided by its length.

    Where no margin is positive it is the unit vector of the largest. A column without a margin (NaN) has weight 0.
    """
    known = np.nan_to_num(margins, nan=-np.inf)
    positive = np.clip(known, 0.0, None)
    largest = positive.max(initial=0.0)
    if largest > 0:
        # Scaled first, so that no square underflows or overflows.
        positive = positive / largest
        unit: Floats = positive / np.sqrt(positive @ positive)
        return unit
    weights = np.zeros(len(margins))
    if len(margins):
        weights[int(np.argmax(known))] = 1.0
    return weights


class MarginObjective(ColumnScores):
    """The mean margin of each column as its score, NaN for a column without a value; and the column weights."""

    @property
    def weights(self) -> Floats:
        return unit_weights(self.scores)

"""Mean margins of columns, and the weights that make the most of them."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats


def unit_weights(margins: Floats) -> Floats:
    """The unit vector w >= 0 with the largest w . margins: their positive part, over its length.

    Where no margin is positive it is the axis of the largest. A column without a margin (NaN) has no weight.
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


class MarginObjective:
    """One mean margin a column, and the weights that go with them."""

    is_additive = False

    def __init__(self, margins: Floats) -> None:
        self.margins = margins

    def score_features(self) -> Floats:
        """The mean margin of each column, higher is better; NaN where nothing was observed."""
        return self.margins

    @property
    def weights(self) -> Floats:
        return unit_weights(self.margins)

"""A table that every type of numbers can hold, and what is chosen of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from sklearn.base import clone

from fewest import FisherMarkov

# Small whole numbers, of either sign: every type that holds numbers holds these.
X = np.random.default_rng(0).integers(-9, 10, size=(20, 4)).astype(float)
Y = np.repeat([0, 1], 10)
X[:, 2] += 8 * Y
NAMES = list("abcd")
FRAME = pd.DataFrame(X, columns=NAMES)
SELECTOR = FisherMarkov(n_features=2)
EXPECTED = clone(SELECTOR).fit(X, Y)


def assert_same(fitted, expected=EXPECTED):
    assert fitted.selection_.indices == expected.selection_.indices
    assert_allclose(fitted.scores_, expected.scores_, rtol=1e-12)
    assert fitted.selection_.provenance.fingerprint == expected.selection_.provenance.fingerprint

"""The Fisher score against the formula and a worked example."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest import ScatterRatio
from fewest.errors import InvalidInput

from ...binding import bind


def scores_of(X, y, **parameters):
    return bind(ScatterRatio(**parameters), X, y).score_features()


def test_four_rows_worked_by_hand():
    # classes {0, 2} and {4, 6}: between 4, within 1; means differ by 4, variances 1 and 1.
    X, y = [[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1]
    assert scores_of(X, y)[0] == 4.0
    assert scores_of(X, y, printed=True)[0] == pytest.approx(4 / np.sqrt(2))


def test_classes_without_width_score_infinity_and_a_constant_column_zero():
    X, y = [[1.0, 5.0], [1.0, 5.0], [2.0, 5.0]], [0, 0, 1]
    assert scores_of(X, y).tolist() == [np.inf, 0.0]
    assert scores_of(X, y, printed=True).tolist() == [np.inf, 0.0]


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_both_forms_agree_with_their_formulas(offset):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 12])
    X = rng.normal(size=(42, 5)) + y[:, None] + offset
    a, b = X[y == 0] - offset, X[y == 1] - offset
    mean = (X - offset).mean(0)
    between = 30 * (a.mean(0) - mean) ** 2 + 12 * (b.mean(0) - mean) ** 2
    assert_allclose(scores_of(X, y), between / (30 * a.var(0) + 12 * b.var(0)), rtol=1e-9)
    printed = np.abs(a.mean(0) - b.mean(0)) / np.sqrt(a.var(0) + b.var(0))
    assert_allclose(scores_of(X, y, printed=True), printed, rtol=1e-9)


def test_the_printed_form_is_for_two_classes():
    with pytest.raises(InvalidInput, match="two classes, and there are 3"):
        scores_of(np.eye(6), [0, 0, 1, 1, 2, 2], printed=True)

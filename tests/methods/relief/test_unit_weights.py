"""The weights that make the most of margins."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest.methods.relief.neighbour_criteria import unit_weights


def test_the_positive_part_over_its_length():
    assert_allclose(unit_weights(np.array([3.0, -1.0, 4.0])), [0.6, 0.0, 0.8])


@pytest.mark.parametrize("factor", [1e-200, 1.0, 1e200])
def test_margins_of_any_size_give_a_unit_vector(factor):
    assert_allclose(unit_weights(factor * np.array([3.0, -1.0, 4.0])), [0.6, 0.0, 0.8], rtol=1e-15)


def test_without_a_positive_margin_the_largest_has_all_the_weight():
    assert unit_weights(np.array([-3.0, np.nan, -1.0, -1.0])).tolist() == [0.0, 0.0, 1.0, 0.0]
    assert unit_weights(np.zeros(2)).tolist() == [1.0, 0.0]

"""The range of sizes where errors are small and steady, and the candidate set in it."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.selectors.sizes.size_rules import one_standard_error_rule, stable_least, stable_range

from ...reference.wrappers import candidate_size


@pytest.mark.parametrize(
    ("errors", "positions", "size"),
    [
        # Windows of three. Means + deviations: 9 + .. falls to [2, 2, 2] with 2 + 0; no neighbour is as small.
        ([9, 5, 2, 2, 2, 7], range(2, 5), 3),
        # [3, 2, 3] has 2.67 + .47 = 3.14, [2, 3, 2] 2.33 + .47 = 2.80: that one; both neighbours are at most 3.
        ([8, 3, 2, 3, 2, 3, 9], range(1, 6), 3),
        # A single deep dip is not steady: [1, 6, 6] has 4.33 + 2.36 = 6.69, [4, 4, 4] has 4.
        ([7, 1, 6, 6, 4, 4, 4, 5], range(4, 7), 5),
        # Extended to the left over what is lower still.
        ([9, 3, 4, 4, 4, 9], range(1, 5), 2),
        ([5.0], range(1), 1),
        ([5, 4], range(2), 2),
        ([0, 0, 0, 0], range(4), 1),
    ],
)
def test_by_hand(errors, positions, size):
    assert stable_range(errors) == positions
    assert stable_least(errors) + 1 == size == candidate_size(errors)


def test_the_window_is_a_tenth_of_many_sizes():
    errors = [10.0] * 50
    errors[20:24] = [1.0] * 4
    errors[30:35] = [2.0] * 5
    assert stable_range(errors) == range(30, 35)  # four sizes are too few out of fifty


def test_it_does_as_the_reference_on_random_curves():
    rng = np.random.default_rng(0)
    for _ in range(300):
        errors = (rng.integers(0, 12, rng.integers(1, 60)) / 12).tolist()
        assert stable_least(errors) + 1 == candidate_size(errors)


def test_the_smallest_size_within_one_standard_error_of_the_least_is_taken():
    # Means .5, .25, .15, .25; the standard error at the third size is .05.
    errors = np.array([[0.5, 0.3, 0.2, 0.25], [0.5, 0.2, 0.1, 0.25]])
    assert one_standard_error_rule(errors) == 2
    errors[:, 1] -= 0.05  # at the limit, .2: a tie counts
    assert one_standard_error_rule(errors) == 1
    assert one_standard_error_rule(errors[:1]) == 2

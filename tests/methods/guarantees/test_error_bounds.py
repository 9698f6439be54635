from __future__ import annotations

import numpy as np
import pytest

from fewest.errors import InvalidInput
from fewest.methods.guarantees.error_bounds import FalseSelections
from fewest.methods.guarantees.r_concave_tail import r_concave_tail

from ...reference.guarantees import error_bounds as reference

#: Of the R package stabs with B = 50, p = 100 and a cutoff of 0.6, for q = 1, ..., 10 (its saved test results).
R_CONCAVE_OF_STABS = (
    0.006971364, 0.03342845, 0.08691176, 0.1637231, 0.2605329, 0.3820466, 0.5295188, 0.7042719, 0.9077127, 1.141338,
)  # fmt: skip
UNIMODAL_OF_STABS = (
    0.02631579, 0.1052632, 0.2368421, 0.4210526, 0.6578947, 0.9473684, 1.289474, 1.684211, 2.131579, 2.631579,
)  # fmt: skip


def bound(assumption="r-concave", n_columns=100, n_pairs=50):
    if assumption == "meinshausen-buhlmann":
        return FalseSelections(assumption, "none", n_columns, n_pairs)
    return FalseSelections("shah-samworth", assumption, n_columns, n_pairs)


def test_the_bound_of_meinshausen_and_buhlmann_by_hand():
    # 5^2 / ((2 * 0.75 - 1) 100) = 25 / 50.
    assert bound("meinshausen-buhlmann").at(5, 75) == pytest.approx(0.5)
    assert bound("none").at(5, 75) == pytest.approx(0.5)
    # One of two columns a half, and those of all halves: 1 / (1 * 2).
    assert bound("meinshausen-buhlmann", n_columns=2).at(1, 100) == pytest.approx(0.5)


def test_the_unimodal_bound_by_hand():
    # tau = 0.6: 1 / (2 (0.2 - 0.01)) = 2.63..., times 10^2 / 100.
    assert bound("unimodal").at(10, 60) == pytest.approx(1 / 0.38)
    # tau = 0.9: 4 (0.1 + 0.01) / 1.02.
    assert bound("unimodal").at(10, 90) == pytest.approx(0.44 / 1.02)


def test_there_is_no_bound_at_half_of_the_halves_but_the_number_of_columns():
    for assumption in ("meinshausen-buhlmann", "none", "unimodal", "r-concave"):
        assert bound(assumption, n_columns=7).at(1, 50) == 7
        assert bound(assumption, n_columns=7).at(7, 100) <= 7


def test_a_tail_by_hand():
    # (1 + i)^-2 on 0, 1, 2 is 1, 1/4, 1/9: with the sum 49/36 the mean is 17/49, and 2 has 4/49.
    assert r_concave_tail(17 / 49, 2, 2, -2) == pytest.approx(4 / 49, rel=1e-9)


@pytest.mark.parametrize("q", range(1, 11))
def test_bounds_are_those_of_the_package_stabs(q):
    assert bound("unimodal").at(q, 60) == pytest.approx(UNIMODAL_OF_STABS[q - 1], rel=1e-6)
    # stabs seeks the maximum less exactly, so that it is lower by up to 0.4 %.
    found = bound().at(q, 60)
    assert R_CONCAVE_OF_STABS[q - 1] * (1 - 1e-6) <= found <= R_CONCAVE_OF_STABS[q - 1] * 1.004


def test_thresholds_and_sizes_are_those_of_the_package_stabs():
    assert bound(n_columns=200).largest_size(60, 0.2) == 6
    assert bound(n_columns=200).least_step(7, 0.2) == 62
    assert bound("unimodal", n_columns=200).largest_size(60, 0.2) == 3
    assert bound("unimodal", n_columns=200).least_step(7, 0.2) == 81
    for q, step, expected in ((6, 60, 0.174), (7, 60, 0.248), (7, 62, 0.196), (7, 61, 0.219)):
        assert bound(n_columns=200).at(q, step) == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_agree_with_the_slow_formulas(seed):
    random = np.random.default_rng(seed)
    n_pairs, p = int(random.integers(4, 16)), int(random.integers(5, 300))
    q, step = int(random.integers(1, max(2, p // 4))), int(random.integers(n_pairs + 1, 2 * n_pairs + 1))
    tau = step / (2 * n_pairs)
    worst = reference.worst_case(q, p, tau)
    expected = {
        "none": worst,
        "unimodal": min(worst, reference.unimodal(q, p, tau, n_pairs)),
        "r-concave": min(worst, reference.r_concave(q, p, tau, n_pairs)),
    }
    for assumption, value in expected.items():
        found = bound(assumption, p, n_pairs).at(q, step)
        assert found == pytest.approx(min(p, value), rel=1e-3), assumption


@pytest.mark.parametrize("exponent", [-2, -4])
def test_no_r_concave_distribution_has_a_larger_tail(exponent):
    random = np.random.default_rng(0)
    n_steps, n_near = 8, 0
    for _ in range(600):
        # f^r is convex: the largest of a few straight lines, infinite from some step on.
        lines = random.exponential(size=(3, 2)) * 10.0 ** random.uniform(-2, 2, size=(3, 2))
        convex = np.max(lines[:, :1] + lines[:, 1:] * np.arange(n_steps + 1), axis=0)
        masses = np.where(np.arange(n_steps + 1) <= random.integers(2, n_steps + 1), convex**exponent, 0.0)
        masses /= masses.sum()
        mean, t = float(masses @ np.arange(n_steps + 1)), int(random.integers(1, n_steps + 1))
        largest = r_concave_tail(mean, t, n_steps, exponent)
        assert masses[t:].sum() <= largest * (1 + 1e-7) + 1e-15
        n_near += masses[t:].sum() > 0.9 * largest
    assert n_near > 5


@pytest.mark.parametrize("assumption", ["meinshausen-buhlmann", "none", "unimodal", "r-concave"])
@pytest.mark.parametrize("n_columns", [2, 9, 40, 1000])
def test_thresholds_are_as_low_and_sizes_as_large_as_can_be(assumption, n_columns):
    own = bound(assumption, n_columns, 10)
    for expected_false in (0.5, 1.0, 3.0):
        size = own.largest_size(15, expected_false)
        assert size == 0 or own.at(size, 15) <= expected_false * (1 + 1e-8)
        assert size == n_columns or own.at(size + 1, 15) > expected_false
        if size:
            step = own.least_step(size, expected_false)
            assert step <= 15
            assert own.at(size, step) <= expected_false * (1 + 1e-8)
            assert step == 11 or own.at(size, step - 1) > expected_false


def test_where_no_threshold_holds_the_largest_size_that_has_one_is_named():
    # 11^2 / 100 = 1.21 at a threshold of 1; 10^2 / 100 is 1.
    with pytest.raises(InvalidInput, match=r"With q = 11 .* the bound is 1.21 at a threshold of 1. Give the selector "):
        bound("meinshausen-buhlmann").least_step(11, 1.0)
    with pytest.raises(InvalidInput, match="n_features=10, the largest that can"):
        bound("meinshausen-buhlmann").least_step(50, 1.0)
    with pytest.raises(InvalidInput, match=r"not even one feature a half .* at 0.001: the bound is 0.01"):
        bound("meinshausen-buhlmann").least_step(3, 0.001)

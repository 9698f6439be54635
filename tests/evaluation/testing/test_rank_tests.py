"""Wilcoxon, Friedman and Nemenyi over several tables."""

from math import inf

import numpy as np
import pytest
from scipy import stats

from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.testing.rank_tests import critical_difference, equal_runs, friedman, rank_biserial, wilcoxon

from ...reference import evaluation as reference

NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")

# Demsar 2006, Table 6: AUC on 14 data sets. The last but one row prints .975 twice and ranks them 2 and 3.
DEMSAR = 1 - np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_demsars_example_of_wilcoxon():
    """Published: sums of ranks 93 and 12, significant at .05 (critical value 21)."""
    found = wilcoxon(DEMSAR[:, 1], DEMSAR[:, 0], names=("C4.5+m", "C4.5"))
    assert found.statistic == 12
    assert found.effect == pytest.approx((12 - 93) / 105)
    assert found.p_value < 0.05
    assert found.is_exact
    assert found.sentence() == "C4.5+m errs 1.6 points less than C4.5 (mean of 14 tables, p = .008)"


def test_demsars_example_of_friedman():
    """Published: mean ranks 3.143, 2.000, 2.893, 1.964; chi-square 9.28, F 3.69; CD 1.25 at .05, 1.12 at .10."""
    found = friedman(DEMSAR, NAMES, correct_ties=False)
    assert [round(rank, 3) for rank in found.mean_ranks] == [3.143, 2.000, 2.893, 1.964]
    assert round(found.chi_square, 2) == 9.28
    assert round(found.f, 2) == 3.69
    assert found.p_value < 0.05
    assert round(found.critical_difference(), 2) == 1.25
    assert round(found.critical_difference(0.10), 2) == 1.12


def test_demsars_groups():
    """Published: at .10 C4.5 is worse than C4.5+m and C4.5+m+cf, and nothing is said of C4.5+cf."""
    found = friedman(DEMSAR, NAMES)
    assert found.groups(0.10) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert found.groups(0.05) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert found.sentence(0.10) == (
        "the methods differ (Friedman over 14 tables, p = .01); C4.5+m+cf has the best mean rank, 1.96: "
        "significantly better than C4.5 (critical difference 1.12)"
    )
    assert "not significantly better than any" in found.sentence(0.05)


def test_wilcoxon_by_hand():
    """Differences -1, -2, 3: ranks 1, 2, 3; sums 3 and 3, so every assignment is as far from the middle: p = 1."""
    assert wilcoxon([0, 0, 3], [1, 2, 0]).p_value == 1
    found = wilcoxon([0, 0, 0], [1, 2, 3])
    assert (found.statistic, found.effect, found.p_value) == (0, -1, 2 / 8)


@pytest.mark.parametrize("seed", range(12))
def test_wilcoxon_counts_all_assignments_of_signs_with_ties_and_zeros(seed):
    random = np.random.default_rng(seed)
    first, second = random.integers(0, 6, (2, int(random.integers(1, 11))))
    found = wilcoxon(first, second)
    assert found.p_value == pytest.approx(reference.signed_rank_p(list(first - second)), rel=1e-12)


def test_wilcoxon_agrees_with_scipys_zsplit_over_all_permutations():
    first, second = np.random.default_rng(5).integers(0, 4, (2, 9))
    assert 0 in first - second
    theirs = stats.wilcoxon(first, second, zero_method="zsplit", method=stats.PermutationMethod(n_resamples=10_000))
    found = wilcoxon(first, second)
    assert found.statistic == theirs.statistic
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("n", [5, 20, 50])
def test_without_ties_wilcoxon_is_scipys_exact_test(n):
    differences = np.random.default_rng(n).permutation(np.arange(1.0, n + 1)) * np.where(np.arange(n) % 3, 1, -1)
    theirs = stats.wilcoxon(differences, method="exact")
    assert wilcoxon(differences, np.zeros(n)).p_value == pytest.approx(theirs.pvalue, rel=1e-10)


def test_many_tables_are_tested_by_the_normal_distribution():
    differences = np.random.default_rng(0).integers(-9, 11, 300).astype(float)
    found = wilcoxon(differences, np.zeros(300))
    assert not found.is_exact
    theirs = stats.wilcoxon(differences, zero_method="pratt", method="asymptotic", correction=False)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert wilcoxon(np.ones(300), np.ones(300)).p_value == 1


def test_the_two_distributions_meet():
    differences = np.random.default_rng(4).normal(0.1, 1, 200)
    exact = wilcoxon(differences, np.zeros(200))
    longer = wilcoxon(np.append(differences, 0.0), np.zeros(201))
    assert exact.is_exact
    assert not longer.is_exact
    assert exact.p_value == pytest.approx(longer.p_value, rel=0.02)


def test_equal_tables_do_not_differ():
    found = wilcoxon([0.1 + 0.2, 0.4], [0.3, 0.4])
    assert (found.p_value, found.effect) == (1, 0)
    assert found.sentence() == "no significant difference between the first and the second (2 tables, p = 1)"


def test_where_the_mean_points_the_other_way_there_is_no_number_of_points():
    first = [*np.linspace(0.10, 0.19, 10), 0.9]
    second = [*np.linspace(0.11, 0.21, 10), 0.2]
    found = wilcoxon(first, second, names=("a", "b"))
    assert found.mean_difference > 0 > found.effect
    assert found.sentence(0.2) == "a errs less by rank than b (11 tables, p = .05)"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("ties", [True, False])
def test_friedman_is_the_formula_and_scipys(seed, ties):
    random = np.random.default_rng(seed)
    errors = random.integers(0, 5, (int(random.integers(2, 15)), int(random.integers(3, 7)))) / 5
    found = friedman(errors, correct_ties=ties)
    mean, chi, f = reference.friedman(errors.tolist(), ties)
    assert found.mean_ranks == pytest.approx(mean, rel=1e-12)
    assert found.chi_square == pytest.approx(chi, rel=1e-9, abs=1e-12)
    assert found.f == pytest.approx(f, rel=1e-9, abs=1e-12)
    n, k = errors.shape
    assert found.p_value == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)), rel=1e-9)
    if ties:
        theirs = stats.friedmanchisquare(*errors.T)
        assert found.chi_square == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
        assert found.chi_square_p_value == pytest.approx(theirs.pvalue, rel=1e-9)


def test_methods_that_tie_throughout_do_not_differ():
    found = friedman([[0.2, 0.2, 0.2], [0.3, 0.1 + 0.2, 0.3], [0.0, 1e-17, 0.0], [1.0, 1.0, 1.0]])
    assert found.mean_ranks == (2, 2, 2)
    assert (found.chi_square, found.f, found.p_value, found.chi_square_p_value) == (0, 0, 1, 1)
    assert found.sentence() == "no significant difference among the 3 methods (Friedman over 4 tables, p = 1)"


def test_tables_that_agree_on_all_ranks_make_f_infinite():
    found = friedman([[0.1, 0.2, 0.3]] * 6, ("a", "b", "c"))
    assert (found.chi_square, found.f, found.p_value) == (12, inf, 0)
    assert found.groups() == (("a", "b"), ("b", "c"))


@pytest.mark.parametrize(
    ("level", "published"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_those_of_demsars_table_5(level, published):
    for n_methods, q in enumerate(published, start=2):
        assert critical_difference(n_methods, n_methods * (n_methods + 1), level) * 6**0.5 == pytest.approx(q, abs=1e-3)


def test_runs_are_the_longest_and_a_lone_method_has_none():
    assert equal_runs([1.0, 1.5, 2.0, 4.0, 4.2], 1.0) == [(0, 2), (1, 3), (3, 5)]
    assert equal_runs([1.0, 2.0, 3.0], 1.0) == []
    assert equal_runs([1.0, 1.1, 1.2], 1.0) == [(0, 3)]
    assert equal_runs([1.0], 1.0) == []


def test_what_is_not_errors_of_tables_is_refused():
    with pytest.raises(InvalidInput, match=r"errors holds nan \(at 1, 0\)"):
        friedman([[0.1, 0.2], [np.nan, 0.3]])
    with pytest.raises(InvalidInput, match="At least two tables and two methods are needed, got 1 and 2"):
        friedman([[0.1, 0.2]])
    with pytest.raises(InvalidInput, match="At least two tables and two methods are needed, got 2 and 1"):
        friedman([[0.1], [0.2]])
    with pytest.raises(InvalidInput, match="errors is empty"):
        friedman(np.zeros((0, 3)))
    with pytest.raises(InvalidInput, match="2 dimension"):
        friedman([0.1, 0.2])
    with pytest.raises(InvalidParameter, match="names must be 2 different names"):
        friedman([[0.1, 0.2], [0.3, 0.2]], ("a",))
    with pytest.raises(InvalidInput, match="first_errors is empty"):
        wilcoxon([], [])
    with pytest.raises(InvalidInput, match="second_errors holds nan"):
        wilcoxon([0.1], [np.nan])
    with pytest.raises(InvalidInput, match="Two methods and a table are needed at least, got 1 and 5"):
        critical_difference(1, 5)
    with pytest.raises(InvalidParameter, match="level"):
        critical_difference(3, 5, 0)


def test_rank_biserial_correlation_by_hand():
    assert rank_biserial([-1, 2, 3]) == pytest.approx((5 - 1) / 6)
    assert rank_biserial([0, -1]) == pytest.approx((0.5 - 2.5) / 3)
    assert rank_biserial([0, 0]) == 0
    with pytest.raises(InvalidInput, match="differences holds nan"):
        rank_biserial([np.nan])

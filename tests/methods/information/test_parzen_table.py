"""Information by Parzen windows: the formula, degenerate columns, and what must not change a bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fewest import _core
from fewest.criteria import JointInformation, RelevanceRedundancy
from fewest.data.array import ArraySource
from fewest.data.labels import Target
from fewest.errors import InvalidInput, InvalidParameter, MissingValues
from fewest.methods.information import parzen_table
from fewest.methods.information.joint_information import JointInformationObjective
from fewest.methods.information.parzen_table import MOST_ROWS_BY_PAIRS, ParzenTable
from fewest.methods.information.relevance_redundancy import RelevanceRedundancyObjective
from fewest.searches import GreedyForward

from ...binding import bind
from ...reference.information.parzen import dependency, kernel, mrmr, of_class, of_columns

PARZEN = RelevanceRedundancy(density="parzen")


def table_of(X, y, weights=None, **budget):
    source = ArraySource(np.asarray(X, dtype=float), Target(np.asarray(y), weights))
    return ParzenTable(source.collect(PARZEN.statistic()), **budget)


def information(table, column, others):
    """The information of a column with each of others."""
    sums = np.zeros(len(others))
    table.add_information(np.array([column]), np.array(others), np.zeros(len(others), dtype=np.intp), sums)
    return sums


def odd_columns(rng, n):
    """Heavy tails, outliers, ties, two values, large offsets, tiny scales, copies and constants."""
    normal = rng.normal(size=n)
    outliers = rng.normal(size=n)
    outliers[:2] = [50.0, -1e9][: min(n, 2)]
    return np.column_stack(
        [
            normal, normal + 0.1 * rng.normal(size=n), 7 - 3 * normal, rng.standard_t(2, n), rng.standard_cauchy(n),
            rng.integers(0, 2, n), rng.integers(0, 12, n), rng.integers(0, 40, n), 1e8 + rng.normal(size=n),
            1e-200 * rng.normal(size=n), 5e-324 * rng.integers(0, 50, n), np.exp(2 * rng.normal(size=n)), outliers,
            rng.normal(size=n) * np.where(rng.random(n) < 0.1, 8, 1), np.full(n, 3.3), np.arange(n) == 0,
        ]
    )  # fmt: skip


def classes(rng, n):
    return np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])


def test_two_rows_worked_by_hand():
    # Two values lie at -1 and 1 when standardized; h = 1.06 / 2^0.2 = 0.92279, so G = exp(-2 / h^2) = 0.09549 between
    # them and 1 at each. Each row is its class: I(x; c) = log [2 * 1 / (1 * 1.09549)] = 0.60194.
    # I(x; x) = log [2 (1 + 0.09549^2) / 1.09549^2] = 0.51982.
    table = table_of([[0.0, 10.0], [1.0, -7.0]], [0, 1])
    assert_allclose(table.relevance, [0.60194, 0.60194], atol=5e-6)
    assert_allclose(information(table, 0, [0, 1]), [0.51982, 0.51982], atol=5e-6)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 9, 17, 64, 256, 257, 300, 700])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_it_is_that_of_all_pairs_of_rows(n, is_weighted):
    rng = np.random.default_rng(n)
    X, y = odd_columns(rng, n), classes(rng, n)
    weights = rng.choice([0.5, 1.0, 2.0, 3.25], n) if is_weighted else None
    table = table_of(X, y, weights)
    kernels = [kernel(x, weights) for x in X.T]
    # To rounding over pairs of rows; on a grid within what its spacing and its ends leave out.
    within = 1e-13 if n <= MOST_ROWS_BY_PAIRS else 1e-10
    assert_allclose(table.relevance, [of_class(G, y, weights) for G in kernels], atol=within, rtol=0)
    columns = range(X.shape[1])
    for column in columns:
        expected = [of_columns(G, kernels[column], weights) for G in kernels]
        assert_allclose(information(table, column, columns), expected, atol=within, rtol=0)


@pytest.mark.parametrize("n", [2000, 3000])
def test_it_is_the_same_with_more_rows(n):
    rng = np.random.default_rng(n)
    X, y = odd_columns(rng, n)[:, [1, 0, 4, 7, 12]], classes(rng, n)
    table = table_of(X, y)
    kernels = [kernel(x) for x in X.T]
    assert_allclose(table.relevance, [of_class(G, y) for G in kernels], atol=1e-10, rtol=0)
    for column in range(2):
        expected = [of_columns(G, kernels[column]) for G in kernels]
        assert_allclose(information(table, column, range(5)), expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize("n", [50, 400])
class TestWhateverTheNumberOfRows:
    def table(self, n):
        rng = np.random.default_rng(n)
        return odd_columns(rng, n), classes(rng, n)

    def test_a_constant_column_has_exactly_no_information(self, n):
        X, y = self.table(n)
        table = table_of(X, y)
        assert table.relevance[14] == 0.0
        assert not information(table, 14, range(16)).any()
        assert information(table, 0, [14])[0] == 0.0

    def test_a_row_of_weight_2_is_the_row_twice(self, n):
        X, y = self.table(n)
        weights = np.random.default_rng(1).integers(0, 4, n).astype(float)
        rows = np.repeat(np.arange(n), weights.astype(int))
        weighted, repeated = table_of(X, y, weights), table_of(X[rows], y[rows])
        assert_allclose(weighted.relevance, repeated.relevance, atol=1e-10)
        assert_allclose(information(weighted, 1, range(16)), information(repeated, 1, range(16)), atol=1e-10)

    def test_the_order_of_the_rows_changes_rounding_only(self, n):
        X, y = self.table(n)
        rows = np.random.default_rng(1).permutation(n)
        table, other = table_of(X, y), table_of(X[rows], y[rows])
        assert_allclose(other.relevance, table.relevance, atol=1e-13)
        assert_allclose(information(other, 1, range(16)), information(table, 1, range(16)), atol=1e-13)

    def test_scale_offset_and_sign_change_rounding_only(self, n):
        X, y = self.table(n)
        rng = np.random.default_rng(2)
        x = rng.normal(size=n)
        X = np.column_stack([X[:, :8], x, 4 * x + 16, -x, -0.25 * x + 3])
        table = table_of(X, y)
        assert np.ptp(table.relevance[8:]) < 1e-13
        for column in range(8):
            assert np.ptp(information(table, column, range(8, 12))) < 1e-12

    def test_threads_simd_levels_and_other_columns_change_no_bit(self, n, monkeypatch):
        X, y = self.table(n)
        before = _core.simd_level()
        expected = [information(table_of(X, y), j, range(16)) for j in (0, 5, 7)]
        try:
            for level in ("base", "x86-64-v2", "x86-64-v3"):
                if not _core.use_simd_level(level):
                    continue
                for n_threads in (1, 3):
                    monkeypatch.setattr(parzen_table, "thread_count", lambda n_threads=n_threads: n_threads)
                    monkeypatch.setattr(parzen_table, "_MIN_PAIRS_PER_THREAD", 0)
                    table = table_of(X, y)
                    for j, sums in zip((0, 5, 7), expected, strict=True):
                        assert_array_equal(information(table, j, range(16)), sums)
                        assert_array_equal([information(table, j, [i])[0] for i in range(16)], sums)
        finally:
            _core.use_simd_level(before)

    def test_copies_are_alike_to_the_bit(self, n):
        X, y = self.table(n)
        table = table_of(np.hstack([X, X]), y)
        assert_array_equal(table.relevance[:16], table.relevance[16:])
        sums = information(table, 3, range(32))
        assert_array_equal(sums[:16], sums[16:])

    def test_kernels_that_memory_does_not_hold_are_computed_again(self, n):
        X, y = self.table(n)
        expected = GreedyForward().run(bind(PARZEN, X, y), 10)
        objective = RelevanceRedundancyObjective(table_of(X, y, max_bytes=3 * 8 * n * (n - 1) // 2), is_quotient=False)
        found = GreedyForward().run(objective, 10)
        assert (found.indices, found.scores) == (expected.indices, expected.scores)
        assert objective.table._n_kept == (3 if n <= MOST_ROWS_BY_PAIRS else 0)


def small_table(seed):
    """Few rows and values, many ties, copies and constants."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 40)), int(rng.integers(2, 12))
    y = np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])
    X = np.where(rng.random(p) < 0.5, rng.normal(size=(n, p)), rng.integers(0, 3, (n, p)))
    X[:, rng.integers(0, p)] = y
    return (X[:, rng.integers(0, p, p)] if rng.random() < 0.5 else X), y


@pytest.mark.parametrize("form", ["difference", "quotient"])
def test_lazily_and_fully_is_what_the_formula_says_on_many_tables_with_ties(form):
    criterion = RelevanceRedundancy(form, density="parzen")
    for seed in range(150):
        X, y = small_table(seed)
        k = min(X.shape[1], 8)
        expected, scores = mrmr(X.T, y, k, form)
        fully = GreedyForward(lazy=False).run(bind(criterion, X, y), k)
        lazily = GreedyForward(lazy=True).run(bind(criterion, X, y), k)
        assert list(fully.indices) == expected, seed
        assert_allclose(fully.scores, scores, rtol=1e-9, atol=1e-12)
        assert (lazily.indices, lazily.scores) == (fully.indices, fully.scores)


def test_lazily_is_fully_on_a_grid_and_touches_less():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 150))
    X[:, :15] += y[:, None] * rng.uniform(0.5, 2, 15)
    lazy = bind(PARZEN, X, y)
    lazily = GreedyForward(lazy=True).run(lazy, 12)
    full = bind(PARZEN, X, y)
    fully = GreedyForward(lazy=False).run(full, 12)
    assert (lazily.indices, lazily.scores) == (fully.indices, fully.scores)
    assert lazy.n_evaluated < 0.9 * full.n_evaluated


@pytest.mark.parametrize("is_weighted", [False, True])
def test_joint_information_is_that_of_the_formula(is_weighted):
    criterion = JointInformation(density="parzen")
    for seed in range(30):
        X, y = small_table(seed)
        weights = np.random.default_rng(seed).uniform(0.5, 3, len(y)) if is_weighted else None
        objective = bind(criterion, X, y, weights)
        k = min(X.shape[1], 5)
        found = GreedyForward(lazy=False).run(objective, k)
        until = k if objective.saturated_at is None else objective.saturated_at
        expected, scores = dependency(X.T, y, k, weights)
        assert list(found.indices[:until]) == expected[:until], seed
        assert_allclose(found.scores[:until], scores[:until], atol=1e-12)


def test_a_joint_kernel_of_other_columns_starts_again():
    X, y = small_table(8)
    objective = bind(JointInformation(density="parzen"), X, y)
    everything = np.arange(X.shape[1])
    first = objective.score_additions([0, 1], everything)
    objective.score_additions([1], everything)
    assert_array_equal(objective.score_additions([0, 1], everything), first)


def test_more_rows_than_a_joint_kernel_may_have_are_refused():
    X, y = small_table(3)
    with pytest.raises(InvalidInput, match=r"a number for every two of the \d+ rows.* use density='discrete'"):
        JointInformationObjective(table_of(X, y, max_bytes=8 * len(y)))


def test_a_column_with_missing_values_is_refused_and_one_without_values_has_no_score():
    X = np.random.default_rng(0).normal(size=(20, 4))
    y = np.arange(20) % 2
    X[:, 1] = np.nan
    assert np.isnan(table_of(X, y).relevance).tolist() == [False, True, False, False]
    selection = GreedyForward().run(bind(PARZEN, X, y), 4)
    assert selection.indices[-1] == 1
    X[[3, 5], 2] = np.nan
    with pytest.raises(MissingValues, match=r"Input X contains NaN: 2 value\(s\) of column 2 .*density='discrete'"):
        table_of(X, y)


@pytest.mark.parametrize("density", ["gauss", None, 1, ["parzen"]])
def test_another_density_is_refused(density):
    with pytest.raises(InvalidParameter, match="density must be one of 'discrete', 'parzen', got"):
        RelevanceRedundancy(density=density)


def test_only_categories_may_be_text():
    assert RelevanceRedundancy().takes_text
    assert not PARZEN.takes_text


def test_threadpoolctl_is_heeded_to_the_bit():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(600, 20)), rng.integers(0, 2, 600)
    with threadpool_limits(1):
        alone = GreedyForward().run(bind(PARZEN, X, y), 8).scores
    with threadpool_limits(4):
        assert GreedyForward().run(bind(PARZEN, X, y), 8).scores == alone

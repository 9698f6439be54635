"""SVMs on a fixed subset, and the first exchange that improves them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import _core
from fewest.methods.margins.mkl.fixed_subset import solve_svms

from .test_svm_margin import SETTINGS, objective, table


def exchanged(subset, out, into):
    return sorted({*subset, into} - {out})


@pytest.mark.parametrize(("C", "tau"), [*SETTINGS, (0.001, 0.001)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_compiled_and_the_matrix_solver_agree(C, tau, n_classes):
    X, y = table(40, 12, n_classes, seed=1)
    weights = np.random.default_rng(0).uniform(0.5, 3, 40)
    of = objective(X, y, C, tau, weights=weights).subset_svms
    for size in (0, 1, 5, 12):
        compiled = of.fit(range(size))
        assert compiled.duality_gap < 1e-11
        by_matrices = solve_svms(of.program.with_columns(np.arange(size)), compiled_columns=-1)
        assert_allclose(compiled.value, by_matrices.value, rtol=1e-10)


def test_a_warm_start_changes_nothing():
    X, y = table(50, 9, seed=2)
    for C, tau in SETTINGS:
        near = objective(X, y, C, tau).subset_svms.fit([0, 1, 2])
        plain = objective(X, y, C, tau).subset_svms.fit([1, 2, 5, 7])
        assert_allclose(objective(X, y, C, tau).subset_svms.fit([1, 2, 5, 7], near).value, plain.value, rtol=1e-12)


@pytest.mark.parametrize(("C", "tau"), [*SETTINGS, (0.001, 0.001)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_first_improving_exchange_is_the_first_that_lowers_w(C, tau, n_classes):
    X, y = table(30, 12, n_classes, seed=3)
    rng = np.random.default_rng(0)
    n_found = 0
    for _ in range(8):
        subset = np.sort(rng.choice(12, 4, replace=False))
        others = np.setdiff1d(np.arange(12), subset)
        pairs = rng.permutation([(out, into) for out in subset for into in others])
        of = objective(X, y, C, tau).subset_svms
        value = of.fit(subset).value
        limit = value * (1 - 1e-9)
        values = np.array([objective(X, y, C, tau).subset_svms.fit(exchanged(subset, *pair)).value for pair in pairs])
        better = np.flatnonzero(values < limit)
        unknown = np.full(len(pairs), -np.inf)
        found = of.first_improving_exchange(subset, *pairs.T, unknown, limit, len(pairs))
        assert (found is None) == (len(better) == 0)
        if found is not None:
            assert found[0] == better[0]
            assert_allclose(found[1].value, values[better[0]], rtol=1e-10)
            assert_array_equal(np.flatnonzero(found[1].kernel_weights), exchanged(subset, *pairs[better[0]]))
            # Exchanges whose bound is no better are skipped.
            known = np.where(np.arange(len(pairs)) == better[0], value, unknown)
            found = of.first_improving_exchange(subset, *pairs.T, known, limit, len(pairs))
            assert (found is None) == (len(better) == 1)
            assert found is None or found[0] == better[1]
            n_found += 1
    assert n_found > 0


def test_no_more_than_max_tries_exchanges_are_solved():
    X, y = table(30, 6, seed=4)
    of = objective(X, y).subset_svms
    values = [of.fit([column]).value for column in range(6)]
    worst, best = int(np.argmax(values)), int(np.argmin(values))
    second = int(np.argsort(values)[-2])
    # The first exchange is no better, and its SVMs prove nothing of the second.
    arguments = ([second], [second, second], [worst, best], np.full(2, -np.inf), values[second] * (1 - 1e-12))
    assert of.first_improving_exchange(*arguments, 1) is None
    assert of.first_improving_exchange(*arguments, 2)[0] == 1
    # Columns that do not vary are skipped.
    X[:, worst] = 1.0
    assert objective(X, y).subset_svms.first_improving_exchange(*arguments, 1)[0] == 1


def test_wrong_shapes_are_refused():
    columns, signs, line = np.zeros((3, 4)), np.ones((1, 4)), np.ones(4)
    alpha, offsets, subset = np.zeros((1, 4)), np.zeros(1), np.array([0, 1])
    for changed in (
        (columns, signs[:, :3].copy(), line, line, subset, alpha, offsets),
        (columns, signs, line, line[:3], subset, alpha, offsets),
        (columns, signs, line, line, np.array([0, 3]), alpha, offsets),
        (columns, signs, line, line, subset, np.zeros((2, 4)), offsets),
    ):
        with pytest.raises(ValueError, match=r"expected|no such column"):
            _core.solve_margin_svms(*changed)
    with pytest.raises(ValueError, match="no such column"):
        _core.first_better_exchange(
            columns, signs, line, line, subset, np.array([2]), np.array([2]), np.zeros(1), 1.0, 1, alpha, offsets
        )

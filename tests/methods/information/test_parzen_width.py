"""Parzen windows of other widths, and of full covariance: by the formula, over pairs and on a grid."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fewest import MRMR, MaxDependency, MaxRelevance
from fewest.criteria import JointInformation, MutualInformation, RelevanceRedundancy
from fewest.errors import InvalidParameter

from ...binding import bind
from ...reference.information.parzen import kernel, of_class, of_columns


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5)) + y[:, None] * rng.uniform(0, 2, 5)
    X[:, 4] = rng.integers(0, 3, n)
    return X, y


def densities(X, h, weights=None):
    """At each row, the sum of Gaussians of the covariance of the standardized columns times h^2, up to a constant."""
    w = np.ones(len(X)) if weights is None else weights
    Z = X - np.average(X, axis=0, weights=w)
    Z = Z / np.sqrt(np.average(Z**2, axis=0, weights=w))
    covariance = (Z * w[:, None]).T @ Z / w.sum()
    z = Z[:, None, :] - Z[None, :, :]
    kernels = np.exp(-np.einsum("kia,ab,kib->ki", z, np.linalg.inv(covariance), z) / (2 * h**2))
    return kernels / np.sqrt(np.linalg.det(covariance))


@pytest.mark.parametrize("n", [60, 400])
@pytest.mark.parametrize(("width", "factor"), [("scott", 1.0), ("silverman", 1.06), (0.3, None), (2.0, None)])
def test_widths_are_those_of_the_formula(n, width, factor):
    X, y = table(n)
    h = width if factor is None else factor * n**-0.2
    # The reference has the width 1.06 N^(-1/5): its kernel to the power of the square of the ratio.
    kernels = [kernel(x) ** ((1.06 * n**-0.2 / h) ** 2) for x in X.T]
    relevance = bind(MutualInformation(density="parzen", width=width), X, y).score_features()
    assert_allclose(relevance, [of_class(G, y) for G in kernels], rtol=1e-8, atol=1e-9)
    values = bind(RelevanceRedundancy(density="parzen", width=width), X, y).score_additions([1], np.arange(5))
    assert_allclose(values, relevance - [of_columns(G, kernels[1]) for G in kernels], rtol=1e-8, atol=1e-9)


def odd_table(seed):
    """A few rows, with copies, constants, ties, outliers, offsets or scales in one column or another."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 50))
    X, y = table(n, seed)
    y[:2] = 0, 1
    kind = seed % 6
    if kind == 1:
        X[:, 1] = 3.0
    elif kind == 2:
        X[:, 3] = -2 * X[:, 0] + 1
    elif kind == 3:
        X = np.rint(X)
    elif kind == 4:
        X[0, 2] = 1e6
    elif kind == 5:
        X = X * 10.0 ** rng.integers(-100, 100, 5) + rng.choice([0.0, 1e3], 5)
    return X, y


def test_pairs_are_those_of_the_formula_on_300_random_and_degenerate_tables():
    n_checked = 0
    for seed in range(300):
        X, y = odd_table(seed)
        h = float(np.random.default_rng(seed).choice([0.2, 0.6, 2.0]))
        values = {}
        for covariance in ("diagonal", "full"):
            objective = bind(RelevanceRedundancy(density="parzen", width=h, covariance=covariance), X, y)
            values[covariance] = objective.score_features() - objective.score_additions([2], np.arange(5))
            assert np.isfinite(values[covariance]).all()
        for column in (0, 1, 3, 4):
            pair = X[:, [column, 2]]
            if (pair == pair[0]).all(axis=0).any():
                assert values["diagonal"][column] == values["full"][column] == 0.0
                continue
            # In units in which nothing overflows; where the two are nearly copies the covariance has no inverse.
            pair = (pair - pair.mean(axis=0)) / np.abs(pair - pair.mean(axis=0)).max(axis=0)
            if abs(np.corrcoef(pair.T)[0, 1]) > 0.999:
                continue
            both, own, other = (densities(part, h).sum(axis=1) for part in (pair, pair[:, :1], pair[:, 1:]))
            expected = np.log(len(y) * both / (own * other)).mean()
            assert_allclose(values["full"][column], max(expected, 0.0), rtol=1e-6, atol=1e-8, err_msg=str(seed))
            kernels = [densities(part, h) for part in (pair[:, :1], pair[:, 1:])]
            expected = np.log(len(y) * (kernels[0] * kernels[1]).sum(axis=1) / (own * other)).mean()
            assert_allclose(values["diagonal"][column], max(expected, 0.0), rtol=1e-7, atol=1e-9, err_msg=str(seed))
            n_checked += 1
    assert n_checked > 900


@pytest.mark.parametrize("n", [60, 400])
@pytest.mark.parametrize("weighted", [False, True])
def test_full_covariance_of_pairs_is_that_of_the_formula(n, weighted):
    X, y = table(n)
    weights = np.random.default_rng(1).uniform(0.5, 2, n) if weighted else None
    w = np.ones(n) if weights is None else weights
    h = 1.06 * w.sum() ** -0.2
    criterion = RelevanceRedundancy(density="parzen", covariance="full")
    objective = bind(criterion, X, y, weights)
    values = objective.score_features() - objective.score_additions([2], np.arange(5))
    for column in (0, 1, 3, 4):
        both, own, other = (densities(X[:, which], h, weights) @ w for which in ([column, 2], [column], [2]))
        expected = np.average(np.log(w.sum() * both / (own * other)), weights=w)
        assert_allclose(values[column], max(expected, 0.0), rtol=1e-7, atol=1e-8)


def test_full_covariance_of_many_columns_is_that_of_the_formula():
    X, y = table(60)
    objective = bind(JointInformation(density="parzen", covariance="full"), X, y)
    same = y[:, None] == y[None, :]
    for selected in ([], [1], [1, 3]):
        found = objective.score_additions(selected, np.array([0, 2, 4]))
        for column, value in zip((0, 2, 4), found, strict=True):
            kernels = densities(X[:, [*selected, column]], 1.06 * 60**-0.2)
            ratio = 60 * (kernels * same).sum(axis=1) / (same.sum(axis=1) * kernels.sum(axis=1))
            assert_allclose(value, np.log(ratio).mean(), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("n", [40, 300])
def test_copies_and_constants_with_full_covariance(n):
    X, y = table(n)
    X = np.column_stack([X, X[:, 0], -3 * X[:, 0] + 5, np.ones(n)])
    objective = bind(RelevanceRedundancy(density="parzen", covariance="full"), X, y)
    redundancy = objective.score_features() - objective.score_additions([0], np.arange(8))
    assert np.isfinite(redundancy).all()
    assert redundancy[7] == 0.0
    assert_allclose(redundancy[[5, 6]], redundancy[0], rtol=1e-6)
    assert (redundancy[5] > redundancy[1:5]).all()
    # A copy adds nothing to the joint density: two others are taken.
    joint = bind(JointInformation(density="parzen", covariance="full"), X, y)
    so_far = joint.score_additions([1], np.array([0]))
    assert_allclose(joint.score_additions([1, 0], np.array([5, 6, 7])), so_far[0], rtol=1e-9)


def test_selectors_take_them_and_the_default_is_as_before():
    X, y = table(80)
    for selector in (MRMR, MaxRelevance, MaxDependency):
        plain = selector(n_features=3, density="parzen").fit(X, y)
        named = selector(n_features=3, density="parzen", width="silverman", covariance="diagonal").fit(X, y)
        assert_array_equal(plain.scores_, named.scores_)
        for wrong in ({"width": "wide"}, {"width": 0.0}, {"width": 0.001}, {"width": None}, {"covariance": "half"}):
            with pytest.raises(InvalidParameter, match=next(iter(wrong))):
                selector(n_features=3, density="parzen", **wrong).fit(X, y)

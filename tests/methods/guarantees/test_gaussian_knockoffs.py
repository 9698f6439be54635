from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest.errors import InvalidInput
from fewest.methods.guarantees.gaussian_knockoffs import (
    GaussianCopies,
    check_covariance,
    conditional,
    equicorrelated_distances,
    mvr_distances,
    shrunk,
)

from ...reference.guarantees.knockoffs import joint_covariance, reconstructability


def correlation_of(seed, n_columns, n_rows=None):
    values = np.random.default_rng(seed).normal(size=(n_rows or 3 * n_columns, n_columns))
    values[:, 1:] += 0.8 * values[:, :-1]
    return shrunk(np.corrcoef(values.T))[0]


def test_distances_of_two_columns_by_hand():
    # Eigenvalues 1.6 and 0.4: all distances are 2 * 0.4, less a hundredth.
    correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    assert_allclose(equicorrelated_distances(correlation), 0.99 * 0.8)
    # Independent columns: 1 / (2 - s) + 1 / s is least at s = 1, where a copy is independent of its column.
    assert_allclose(mvr_distances(np.eye(3)), 1.0, rtol=1e-9)
    # Both alike: 1 / (3.2 - s) + 1 / (0.8 - s) + 2 / s is least where its derivative is zero.
    s = mvr_distances(correlation)
    assert_allclose(s[0], s[1], rtol=1e-2)
    assert 1 / (3.2 - s[0]) ** 2 + 1 / (0.8 - s[0]) ** 2 == pytest.approx(2 / s[0] ** 2, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_columns_are_hardest_to_reconstruct_with_the_distances_of_mvr(seed):
    correlation = correlation_of(seed, 12)
    best = mvr_distances(correlation)
    assert best.min() > 0
    assert np.linalg.eigvalsh(joint_covariance(correlation, best))[0] > 0
    least = reconstructability(correlation, best)
    assert least < reconstructability(correlation, equicorrelated_distances(correlation))
    for j in range(12):
        for factor in (0.9, 1.1):
            other = best.copy()
            other[j] *= factor
            if np.linalg.eigvalsh(joint_covariance(correlation, other))[0] > 0:
                assert reconstructability(correlation, other) > least * (1 - 1e-3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("distances_of", [mvr_distances, equicorrelated_distances])
def test_columns_and_copies_have_the_joint_covariance_that_is_asked_for(seed, distances_of):
    correlation = correlation_of(seed, 6)
    distances = distances_of(correlation)
    solved, root = conditional(correlation, distances)
    # Copies are x A + noise L': their covariance with x, and their own.
    matrix = np.eye(6) - solved
    expected = joint_covariance(correlation, distances)
    assert_allclose(correlation @ matrix, expected[:6, 6:], atol=1e-8)
    assert_allclose(matrix.T @ correlation @ matrix + root @ root.T, expected[6:, 6:], atol=1e-8)


def test_copies_of_many_rows_have_the_means_and_covariances_of_the_columns():
    random = np.random.default_rng(0)
    mixed = np.eye(5) + 0.3 * random.normal(size=(5, 5))
    values = random.normal(size=(20_000, 5)) @ mixed * 10.0 ** np.arange(5) + 7
    copies = GaussianCopies.of(lambda: iter(np.array_split(values, 3)), "mvr")
    drawn = copies.draw(values, random.normal(size=values.shape))
    assert copies.shrinkage == 0.0
    unit = values.std(axis=0)
    assert_allclose(drawn.mean(axis=0) / unit, values.mean(axis=0) / unit, atol=0.03)
    both = np.corrcoef(np.hstack([values, drawn]).T)
    assert_allclose(both[5:, 5:], both[:5, :5], atol=0.03)
    is_other = ~np.eye(5, dtype=bool)
    assert_allclose(both[:5, 5:][is_other], both[:5, :5][is_other], atol=0.03)
    assert_allclose(drawn.std(axis=0), unit, rtol=0.03)


def test_correlations_are_shrunk_no_more_than_an_inverse_needs():
    wide = np.corrcoef(np.random.default_rng(0).normal(size=(10, 30)).T)
    found, shrinkage = shrunk(wide)
    assert shrinkage == pytest.approx(0.01)
    assert np.linalg.eigvalsh(found)[0] == pytest.approx(0.01)
    assert shrunk(np.eye(3))[1] == 0.0


def test_extreme_sizes_of_columns_change_nothing():
    random = np.random.default_rng(0)
    values, noise = random.normal(size=(50, 3)), random.normal(size=(50, 3))
    scale = np.array([2.0**-1000, 2.0**900, 1.0])
    plain, extreme = (
        GaussianCopies.of(lambda own=own: iter([own]), "mvr").draw(own, noise) for own in (values, values * scale)
    )
    assert_allclose(extreme / scale, plain, rtol=1e-12)


def test_more_columns_than_memory_allows_are_refused_with_what_else_can_be_done():
    check_covariance(5_000)
    with pytest.raises(InvalidInput, match=r"20,000 columns take 14.9 GiB; 4 GiB are allowed. Use kind='permuted'"):
        check_covariance(20_000)

"""Kernel alignment against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fewest import TargetAlignment

from ...reference.kernels import kernel_scatter as reference
from .test_kernel_separability import objective_of, random_table


def test_four_points_by_hand():
    # At -1, -1, 1 and 1, two of each class: K is 1 within and k = exp(-4 eta) between, so the alignment is
    # (8 - 8 k) / (4 sqrt(8 + 8 k^2)), highest at k = 0: 1 / sqrt 2.
    objective = objective_of([[-1.0], [-1.0], [1.0], [1.0]], [0, 0, 1, 1], TargetAlignment())
    assert_allclose(objective.score_features(), [1 / np.sqrt(2)], rtol=1e-9)
    assert_allclose(objective.score_subset([0]), 1 / np.sqrt(2), rtol=1e-9)


@pytest.mark.parametrize("seed", range(16))
def test_it_is_the_best_alignment_over_all_widths(seed):
    X, y, random = random_table(seed)
    Z, objective = reference.scaled(X), objective_of(X, y, TargetAlignment())

    def aligned(columns, eta):
        return reference.alignment(reference.gaussian(Z[:, columns], eta), y)

    scores = objective.score_features()
    some = sorted(random.permutation(X.shape[1])[:2].tolist())
    for columns, score, eta in (
        [[0], scores[0], objective.widths()[0]],
        [some, objective.score_subset(some), objective.width_of(some)],
    ):
        best, _ = reference.best_width(lambda eta, columns=columns: aligned(columns, eta), Z[:, columns])
        assert best - 1e-3 <= score <= best + 1e-4
        if eta > 0:
            assert_allclose(aligned(columns, eta), score, rtol=1e-9)
        else:
            assert score == 0.0


def test_for_classes_of_one_size_it_is_the_scatter_between_them_over_the_length_of_the_kernel():
    # Eq. 19: <K, yy'> = n tr S_B where both classes have as many rows.
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    Z = reference.scaled(random.normal(size=(20, 3)))
    K = reference.gaussian(Z, np.ones(3))
    between = reference.traces(K, y)[0]
    assert_allclose(reference.alignment(K, y), 20 * between / (np.linalg.norm(K) * 20))

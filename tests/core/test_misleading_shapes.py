"""The compiled cuts and paths on shapes made to mislead them."""

from __future__ import annotations

import numpy as np
import pytest

from fewest._core import pair_cut

from ..reference.subsets import symmetric
from ..searches.threshold_paths import Path, chain, check_between, floats, value_of

# Shapes that are hard on a flow, or on the sweeps before it.


def ends_of_a_chain(rng, p):
    """What one end has too much of must pass through all the others."""
    unary = np.zeros(p, dtype=np.int64)
    unary[0], unary[-1] = p, -p
    return unary, chain(p, 10 * p)


def weak_chain(rng, p):
    return rng.integers(-9, 10, p), chain(p, rng.integers(0, 12, p - 1))


def shuffled_chain(rng, p):
    unary, pairs = weak_chain(rng, p)
    order = rng.permutation(p)
    return np.cumsum(unary)[order], pairs[np.ix_(order, order)]


def star(rng, p):
    pairs = np.zeros((p, p), dtype=np.int64)
    pairs[0, 1:] = pairs[1:, 0] = rng.integers(0, 20, p - 1)
    return rng.integers(-15, 5, p), pairs


def two_cliques_and_a_thread(rng, p):
    side = np.arange(p) < p // 2
    pairs = symmetric(np.where(side[:, None] == side, 3, 0))
    pairs[0, p - 1] = pairs[p - 1, 0] = 1000
    return rng.integers(-2 * p, p, p), pairs


def block_diagonal(rng, p):
    block = np.arange(p) // 7
    return rng.integers(-40, 10, p), symmetric((block[:, None] == block) * rng.integers(0, 9, (p, p)))


def all_equal(rng, p):
    return np.full(p, -p), symmetric(np.full((p, p), 2))


def equal_pairs(rng, p):
    return rng.integers(-2 * p, 0, p), symmetric(np.full((p, p), 1))


def one_huge_weight(rng, p):
    unary, pairs = rng.integers(-p, p, p), symmetric(rng.integers(0, 3, (p, p)))
    pairs[1, 2] = pairs[2, 1] = 10**6
    return unary, pairs


def nested(rng, p):
    return -(np.arange(p) ** 2) // 3, symmetric(np.minimum.outer(np.arange(p), np.arange(p)))


def no_pairs(rng, p):
    return rng.integers(-9, 10, p), np.zeros((p, p), dtype=np.int64)


def layers_joined_by_bottlenecks(rng, p):
    """Tight layers in a row, each joined to the next by little: hard for a flow that goes by heights."""
    layer = np.arange(p) // 9
    pairs = np.where(layer[:, None] == layer, 500, 0)
    joins = np.abs(layer[:, None] - layer) == 1
    pairs = pairs + joins * (rng.random((p, p)) < 0.15) * rng.integers(1, 40, (p, p))
    unary = np.zeros(p, dtype=np.int64)
    unary[:9], unary[-9:] = 3000, -3000
    return unary, symmetric(pairs)


SHAPES = [
    ends_of_a_chain, weak_chain, shuffled_chain, star, two_cliques_and_a_thread, block_diagonal, all_equal, equal_pairs,
    one_huge_weight, nested, no_pairs, layers_joined_by_bottlenecks,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_no_subset_beats_the_path_on_misleading_shapes(shape):
    rng = np.random.default_rng(1)
    for p in (19, 26, 63, 120):
        unary, pairs = (np.asarray(table, dtype=np.int64) for table in shape(rng, p))
        path = Path(unary, pairs)
        assert sum(path.totals) == value_of(np.ones(p), unary, pairs)
        assert check_between(path, unary, pairs) > min(len(path.betas), 8) / 2


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_at_a_step_the_cut_is_the_smaller_subset(shape):
    unary, pairs = shape(np.random.default_rng(2), 40)
    path = Path(unary, pairs)
    for beta in path.betas:
        if beta.denominator & (beta.denominator - 1) == 0:  # a float has it exactly
            columns, _ = pair_cut(*floats(unary - float(beta), pairs))
            assert columns == np.flatnonzero(path.above(beta)).tolist()


def test_long_chains_and_thousands_of_steps_take_no_long_time_and_no_deep_stack():
    p = 3000
    assert len(Path(*ends_of_a_chain(None, p)).betas) == 2
    falling = 2.0 ** -np.linspace(0, 40, p)
    path = Path(falling, np.zeros((p, p)))
    assert path.order == list(range(p))
    assert max(path.sizes) == 1

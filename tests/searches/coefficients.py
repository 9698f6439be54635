"""Tables of scores of columns, pairs and triples, of many kinds."""

from __future__ import annotations

import numpy as np

from fewest.searches import MaximumClosure, MinimumCut

from ..reference.subsets import symmetric


class Coefficients:
    """An objective that is nothing but its coefficients."""

    is_additive = False

    def __init__(self, *tables):
        self.tables = [np.array(table, dtype=float) for table in tables]

    def score_features(self):
        return self.tables[0]

    def score_pairs(self):
        return self.tables[1]

    def score_triples(self):
        return self.tables[2]


def search_for(tables, **parameters):
    return (MinimumCut if len(tables) == 2 else MaximumClosure)(**parameters)


def run(tables, n_features=None, **parameters):
    return search_for(tables, **parameters).run(Coefficients(*tables), n_features)


# Random coefficients: the scores of p columns alone (degree 1), in pairs (2) and in threes (3).


def real(rng, degree, shape):
    return rng.normal(size=shape) * shape[0] if degree == 1 else rng.random(shape)


def whole(rng, degree, shape):
    return rng.integers(-3 * shape[0], 10, shape) if degree == 1 else rng.integers(0, 6, shape)


def tied(rng, degree, shape):
    return rng.integers(-1, 2, shape) if degree == 1 else rng.integers(0, 2, shape)


def mostly_zero(rng, degree, shape):
    return rng.integers(-2, 3, shape) * (rng.random(shape) < 0.1) * (degree == 1)


def sparse(rng, degree, shape):
    return real(rng, degree, shape) * (degree == 1 or rng.random(shape) < 0.25)


def costly_alone(rng, degree, shape):
    return -shape[0] * rng.random(shape) if degree == 1 else 4 * rng.random(shape) ** 3


def tiny(rng, degree, shape):
    return 1e-305 * real(rng, degree, shape)


def huge(rng, degree, shape):
    return 1e305 * real(rng, degree, shape)


def wide(rng, degree, shape):
    return 10.0 ** rng.uniform(-9, 9, shape) * (rng.choice([-1, 1], shape) if degree == 1 else 1)


def mixed(rng, degree, shape):
    return rng.integers(-5, 6, shape) if degree == 1 else rng.integers(-3, 6, shape)


def less_the_total(rng, degree, shape):
    """between - gamma * total, as it comes with gamma > 0."""
    between, within = rng.random((2, *shape)) ** 2
    return between - 0.3 * (between + within)


def mostly_harmful(rng, degree, shape):
    return 2 * rng.random(shape) if degree == 1 else rng.normal(-0.5, 1.0, shape)


def tiny_and_harmful(rng, degree, shape):
    return 1e-305 * less_the_total(rng, degree, shape)


WHOLE = [whole, tied, mostly_zero]
REAL = [real, sparse, costly_alone, tiny, huge, wide]
HARMFUL = [mixed, less_the_total, mostly_harmful, tiny_and_harmful]


def draw(kind, seed, degree):
    """Coefficients of up to 12 columns (9 with threes), now and then with copies among the columns."""
    rng = np.random.default_rng(seed)
    p = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9] if degree == 3 else [1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 9, 10, 12]))
    tables = [symmetric(kind(rng, d, (p,) * d).astype(float)) for d in range(1, degree + 1)]
    if rng.random() < 0.25:
        copied = rng.integers(0, p, p)
        tables = [table[np.ix_(*[copied] * table.ndim)] for table in tables]
    return tables


def name_of(kind):
    return kind.__name__

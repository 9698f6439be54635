"""Whatever columns hold and however they are stored, the same categories are counted."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import mutual_info_score

from fewest import MRMR, MaxRelevance
from fewest.errors import FewestWarning

from ...reference.information.discretisation import categories


def column(rng, n):
    made = [
        lambda: rng.integers(0, rng.integers(1, 12), n).astype(float),
        lambda: rng.normal(size=n),
        lambda: rng.integers(-300, 300, n).astype(float),
        lambda: rng.integers(0, 6, n) * float(rng.integers(100, 10**6)),
        lambda: np.full(n, float(rng.integers(-5, 5))),
        lambda: rng.integers(0, 50, n) + 1e8,
        lambda: rng.integers(0, 3, n) / 2,
        lambda: rng.integers(0, 200, n).astype(float),
        lambda: np.full(n, np.nan),
        lambda: rng.poisson(0.3, n).astype(float),
    ][rng.integers(0, 10)]()
    return np.where(rng.random(n) < 0.6 * rng.random(), np.nan, made) if rng.random() < 0.3 else made


def answer(selection):
    return selection.indices, [str(score) for score in selection.scores], selection.provenance.fingerprint


@pytest.mark.parametrize("discretize", ["auto", None, "mean", "sigma", "width", "frequency"])
@pytest.mark.parametrize("missing", ["state", "pairwise"])
def test_random_tables_of_all_kinds(discretize, missing):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(4, 300)), int(rng.integers(1, 14))
        y = np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])
        X = np.column_stack([column(rng, n) for _ in range(p)])
        options = {
            "discretize": discretize, "missing": missing, "n_bins": int(rng.integers(2, 9)),
            "factor": float(rng.choice([0.5, 1.0, 1.5])), "n_features": p, "correction": None,
        }  # fmt: skip
        expected = []
        for values in X.T:
            codes = categories(values, discretize, options["n_bins"], options["factor"])
            counted = codes >= 0 if missing == "pairwise" else np.full(n, True)
            expected.append(mutual_info_score(codes[counted], y[counted]) if (codes >= 0).any() else np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewestWarning)  # of columns without a value
            found = MaxRelevance(**options).fit(X, y).scores_
            np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=str(seed))
            at_once = MRMR(**options).fit(X, y).selection_
            for stored in (sparse.csr_matrix(X), np.asfortranarray(X)):
                assert answer(MRMR(**options).fit(stored, y).selection_) == answer(at_once), seed
            in_parts, cut = MRMR(**options), int(rng.integers(1, n))
            for rows in (slice(0, cut), slice(cut, n)):
                in_parts.partial_fit(X[rows], y[rows])
            assert in_parts.selection_.indices == at_once.indices, seed
            assert in_parts.selection_.provenance.fingerprint == at_once.provenance.fingerprint

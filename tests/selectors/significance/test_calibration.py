"""p-values and false discovery rates by simulation, short; benchmarks/calibration.py has more tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.base import clone

import fewest.selectors.significance.false_discovery as significance
from fewest import (
    BayesErrorSelector,
    ChiSquare,
    FisherMarkov,
    FisherScore,
    InformationGain,
    KernelSeparability,
    KolmogorovSmirnov,
    MaxRelevance,
    ParzenRelief,
    PearsonCorrelation,
    Relief,
    ReliefF,
    SVMWeights,
)

#: The largest difference from uniform of n numbers that 1 % of samples exceed, times the root of n.
LIMIT = 1.628

pytestmark = pytest.mark.filterwarnings("ignore:No features were selected:fewest.errors.FewestWarning")


def normal(rng, n_rows=120, n_columns=5):
    return rng.normal(size=(n_rows, n_columns))


def categories(rng):
    return rng.integers(0, 4, (120, 5)).astype(float)


def skewed(rng):
    return np.exp(rng.normal(size=(40, 5)))


def with_missing(rng):
    X = normal(rng)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


BY_FORMULA = {
    "fisher-score": (FisherScore(), normal),
    "fisher-score, missing values": (FisherScore(), with_missing),
    "pearson-correlation": (PearsonCorrelation(), normal),
    "fisher-markov": (FisherMarkov(), normal),
    "max-relevance": (MaxRelevance(), normal),
    "max-relevance, categories": (MaxRelevance(), categories),
    "information-gain": (InformationGain(discretize="width", n_bins=4), normal),
    "chi-square": (ChiSquare(), categories),
    "chi-square, missing values": (ChiSquare(missing="pairwise"), with_missing),
    "kolmogorov-smirnov": (KolmogorovSmirnov(), normal),
}
BY_PERMUTATION = {
    "fisher-score": (FisherScore(), skewed, 100),
    "fisher-score, missing values": (FisherScore(), with_missing, 100),
    "max-relevance": (MaxRelevance(), skewed, 100),
    "chi-square": (ChiSquare(), skewed, 100),
    "kolmogorov-smirnov": (KolmogorovSmirnov(), skewed, 100),
    "relief": (Relief(), skewed, 100),
    "relieff": (ReliefF(n_neighbors=3), skewed, 100),
    "parzen-relief": (ParzenRelief(), skewed, 40),
    "bayes-error": (BayesErrorSelector(mode="individual"), skewed, 8),
    "kernel-separability": (KernelSeparability(mode="individual"), skewed, 3),
    "svm-weights": (SVMWeights(), skewed, 30),
}


def null_p_values(selector, draw, n_tables):
    """The p-values of columns that are drawn whatever the class."""
    found = []
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X = draw(rng)
        y = np.arange(len(X)) % 2
        found.append(clone(selector).set_params(n_features="fdr", random_state=seed).fit(X, y).p_values_)
    return np.concatenate(found)


def beyond_uniform(p_values, is_discrete=False):
    """The largest |share of p-values up to a - a| over the values a, over what 1 % of uniform samples exceed.

    is_discrete : of scores that few values of many tables share, p-values may be larger than uniform
    """
    values, counts = np.unique(p_values, return_counts=True)
    beyond = np.cumsum(counts) / len(p_values) - values
    return (beyond if is_discrete else np.abs(beyond)).max() * np.sqrt(len(p_values)) / LIMIT


@pytest.mark.parametrize("name", BY_FORMULA)
def test_p_values_by_formula_are_uniform_without_class_information(name):
    p_values = null_p_values(*BY_FORMULA[name], 120)
    assert beyond_uniform(p_values) < 1
    if name.startswith(("fisher", "pearson")):
        assert kstest(p_values, "uniform").pvalue > 0.01


@pytest.mark.parametrize("name", BY_PERMUTATION)
def test_p_values_by_permutation_are_uniform_without_class_information(name, monkeypatch):
    # All permutations that a column needs: where it stops early, p-values are only larger.
    test = significance.permutation_test
    monkeypatch.setattr(significance, "permutation_test", lambda *a, **k: test(*a, **(k | {"stops_early": False})))
    selector, draw, n_tables = BY_PERMUTATION[name]
    p_values = null_p_values(clone(selector).set_params(n_permutations=99), draw, n_tables)
    assert beyond_uniform(p_values, name in ("max-relevance", "chi-square", "kolmogorov-smirnov")) < 1


def test_text_has_the_degrees_of_freedom_of_its_categories():
    import pandas as pd

    p_values = {FisherScore: [], ChiSquare: []}
    for seed in range(80):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({f"c{k}": rng.choice(list("abcdefghijkl")[:k], 150) for k in (2, 3, 5)})
        frame.loc[rng.random(150) < 0.1, "c5"] = None
        y = rng.integers(0, 3, 150)
        for kind, found in p_values.items():
            found.append(kind(n_features="fdr").fit(frame, y).p_values_)
    for found in p_values.values():
        for of_column in np.transpose(found):
            assert beyond_uniform(of_column) < 1


@pytest.mark.parametrize("correlation", [0.0, 0.5])
@pytest.mark.parametrize(
    ("selector", "n_tables"),
    [
        (FisherScore(), 100),
        (MaxRelevance(), 100),
        (ChiSquare(), 100),
        (KolmogorovSmirnov(), 100),
        (FisherScore(n_permutations=1000), 40),
        (MaxRelevance(n_permutations=1000), 40),
    ],
    ids=lambda value: f"{type(value).__name__}" if not isinstance(value, int) else "",
)
def test_the_mean_share_of_false_columns_is_at_most_the_level(selector, n_tables, correlation):
    shares = []
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        y = np.arange(100) % 2
        X = np.sqrt(1 - correlation) * normal(rng, 100, 20) + np.sqrt(correlation) * rng.normal(size=(100, 1))
        X[:, :5] += y[:, None]
        chosen = clone(selector).set_params(n_features="fdr", level=0.1, random_state=seed).fit(X, y).support_
        shares.append(chosen[5:].sum() / max(chosen.sum(), 1))
    assert np.mean(shares) <= 0.1 + 2 * np.std(shares, ddof=1) / np.sqrt(n_tables)


@pytest.mark.parametrize("selector", [FisherScore(), ReliefF(n_permutations=200)], ids=["Holm", "Westfall-Young"])
def test_any_false_column_is_as_rare_as_the_level_says(selector):
    n_tables = 60
    has_false = []
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X, y = normal(rng, 40, 10), np.arange(40) % 2
        own = clone(selector).set_params(n_features="fdr", level=0.1, control="fwer", random_state=seed)
        has_false.append(own.fit(X, y).support_.any())
    assert np.mean(has_false) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / n_tables)

"""p-values and false discovery rates by simulation: does every method keep its promise?

    python benchmarks/calibration.py                   all methods, 500 tables each (see FEWER)
    python benchmarks/calibration.py fisher-score -n 100    one of them, 100 tables
    python benchmarks/calibration.py --jointly         methods whose scores depend on other columns, as JOINTLY says

Without class information: the shares of p-values up to .05 and .01, and how far the distribution of p-values is from
uniform at the values that they can take, in units of what 1 % of uniform samples exceed (at most 1). With 6 informative
columns of 30, independent or correlated by .5: the mean share of false columns among those that pass Benjamini-Hochberg
at .1, its standard error, and the share of informative columns found. Of methods whose scores depend on other columns
also what passes when columns are tested once, by permuted labels alone, and the same of columns in blocks of 5 that
correlate by .7, of which one is informative in each of 6, and where two columns tell of the class only together.
"""

from __future__ import annotations

import argparse
import warnings
from unittest.mock import patch

import numpy as np
from sklearn.base import clone

import fewest.selectors.significance.false_discovery as significance
from fewest import (
    ChiSquare,
    FewestWarning,
    FisherScore,
    ForestImportance,
    InformationGain,
    KolmogorovSmirnov,
    MaxRelevance,
    MultiSURF,
    ParzenRelief,
    PearsonCorrelation,
    Relief,
    ReliefF,
    SVMWeights,
)

N_ROWS, N_COLUMNS, N_INFORMATIVE, SHIFT, LEVEL = 200, 30, 6, 0.7, 0.1
#: The largest difference from uniform of n numbers that 1 % of samples exceed, times the root of n.
LIMIT = 1.628
METHODS = {
    "fisher-score": FisherScore(),
    "pearson-correlation": PearsonCorrelation(),
    "max-relevance": MaxRelevance(),
    "information-gain": InformationGain(discretize="width"),
    "chi-square": ChiSquare(),
    "kolmogorov-smirnov": KolmogorovSmirnov(),
    "fisher-score, 1,000 permutations": FisherScore(n_permutations=1000),
    "max-relevance, 1,000 permutations": MaxRelevance(n_permutations=1000),
    "kolmogorov-smirnov, 1,000 permutations": KolmogorovSmirnov(n_permutations=1000),
    "parzen-relief": ParzenRelief(),
}
#: Methods whose scores depend on other columns, and the number of tables of each.
JOINTLY = {
    "relieff": (ReliefF(n_permutations=199), 200),
    "relief": (Relief(n_permutations=199), 100),
    "multisurf": (MultiSURF(n_permutations=199), 100),
    "svm-weights": (SVMWeights(n_permutations=199), 100),
    "forest-importance, 10 trees": (ForestImportance(n_trees=10, n_permutations=199), 20),
}
#: Tables of methods that take seconds for each.
FEWER = {"parzen-relief": 200}


def table(seed, correlation=0.0, n_informative=0, n_columns=N_COLUMNS, n_classes=2):
    """Normal columns, of which the first share information with the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(N_ROWS) % n_classes
    X = rng.normal(size=(N_ROWS, n_columns))
    X = np.sqrt(1 - correlation) * X + np.sqrt(correlation) * rng.normal(size=(N_ROWS, 1))
    X[:, :n_informative] += SHIFT * y[:, None]
    return X, y


def blocks(seed):
    """Blocks of 5 columns that correlate by .7, of which the first 6 columns, one a block, share information."""
    rng = np.random.default_rng(seed)
    y = np.arange(N_ROWS) % 2
    common = np.tile(rng.normal(size=(N_ROWS, N_INFORMATIVE)), N_COLUMNS // N_INFORMATIVE)
    X = np.sqrt(0.3) * rng.normal(size=(N_ROWS, N_COLUMNS)) + np.sqrt(0.7) * common
    X[:, :N_INFORMATIVE] += SHIFT * y[:, None]
    return X, y


def together(seed):
    """Independent columns; the first two share information with the class only together, and the next 4 each."""
    X, y = table(seed, n_informative=N_INFORMATIVE)
    signs = np.where(np.random.default_rng([seed, 1]).random(N_ROWS) < 0.5, 1, -1)
    X[:, 0] += 1.2 * signs - SHIFT * y
    X[:, 1] += 1.2 * signs * (2 * y - 1) - SHIFT * y
    return X, y


#: The tables with informative columns on which methods that score jointly are tested.
DESIGNS = {
    "independent": lambda seed: table(seed, 0.0, N_INFORMATIVE),
    "correlated": lambda seed: table(seed, 0.5, N_INFORMATIVE),
    "blocks": blocks,
    "together": together,
}


def null_p_values(selector, n_tables, n_columns=4):
    """The p-values of columns without class information; all permutations are used that a column needs."""
    whole = significance.permutation_test
    found = []
    with patch.object(significance, "permutation_test", lambda *a, **k: whole(*a, **(k | {"stops_early": False}))):
        for seed in range(n_tables):
            own = clone(selector).set_params(n_features="fdr", random_state=seed)
            found.append(own.fit(*table(seed, n_columns=n_columns)).p_values_)
    return np.concatenate(found)


def distance_from_uniform(p_values):
    """The largest |share of p-values up to a - a| over the values a, over what 1 % of uniform samples exceed."""
    values, counts = np.unique(p_values, return_counts=True)
    return float(np.abs(np.cumsum(counts) / len(p_values) - values).max() * np.sqrt(len(p_values)) / LIMIT)


def false_shares(selector, n_tables, correlation):
    """The share of false columns among those selected in each table, and of the informative ones that were found."""
    false, found = np.zeros((2, n_tables))
    for seed in range(n_tables):
        own = clone(selector).set_params(n_features="fdr", level=LEVEL, random_state=seed)
        chosen = own.fit(*table(10_000 + seed, correlation, N_INFORMATIVE)).support_
        false[seed] = chosen[N_INFORMATIVE:].sum() / max(chosen.sum(), 1)
        found[seed] = chosen[:N_INFORMATIVE].mean()
    return false, found


def once_and_again(selector, n_tables, draw):
    """The shares of false columns among those that pass, and of the informative found: tested once, and as they are."""
    shares, whole, first = np.zeros((n_tables, 2, 2)), significance._tested_again, []

    def keep_first(tested, *others):
        first.append(tested.passing(LEVEL))
        return whole(tested, *others)

    with patch.object(significance, "_tested_again", keep_first):
        for seed in range(n_tables):
            own = clone(selector).set_params(n_features="fdr", level=LEVEL, random_state=seed)
            chosen = own.fit(*draw(10_000 + seed)).support_
            for index, passing in enumerate((first.pop(), chosen)):
                shares[seed, index] = (
                    passing[N_INFORMATIVE:].sum() / max(passing.sum(), 1),
                    passing[:N_INFORMATIVE].mean(),
                )
    return shares


def print_jointly(names, n_most):
    """One row for each method and design, and the p-values without class information."""
    print("| method | tables | columns | FDP, tested once | FDP | found, tested once | found |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for name in names:
        selector, n_tables = JOINTLY[name]
        n_tables = min(n_tables, n_most)
        for design, draw in DESIGNS.items():
            shares = once_and_again(selector, n_tables, draw)
            errors = shares[..., 0].std(axis=0, ddof=1) / np.sqrt(n_tables)
            false = [
                f"{mean:.3f} ± {error:.3f}" for mean, error in zip(shares[..., 0].mean(axis=0), errors, strict=True)
            ]
            found = [f"{share:.0%}" for share in shares[..., 1].mean(axis=0)]
            print(f"| {name} | {n_tables} | {design} | {' | '.join(false + found)} |", flush=True)
        p_values = null_p_values(selector, n_tables)
        cells = [f"{np.mean(p_values <= a):.3f}" for a in (0.05, 0.01)]
        print(f"{name}, null: {' '.join(cells)}, from uniform {distance_from_uniform(p_values):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="; ".join([*METHODS, *JOINTLY]))
    parser.add_argument("--jointly", action="store_true", help="methods whose scores depend on other columns")
    parser.add_argument("-n", type=int, default=500, help="tables of each method")
    options = parser.parse_args()
    warnings.simplefilter("ignore", FewestWarning)
    unknown = set(options.methods) - {*METHODS, *JOINTLY}
    if unknown:
        parser.error(f"no method {', '.join(sorted(unknown))}; there are {'; '.join([*METHODS, *JOINTLY])}")
    if options.jointly or (set(options.methods) <= set(JOINTLY) and options.methods):
        print_jointly(options.methods or list(JOINTLY), options.n)
        return
    print("| method | tables | p ≤ .05 | p ≤ .01 | from uniform | FDP, independent | FDP, correlated | found |")
    print("|---|---|---|---|---|---|---|---|")
    for name in [one for one in options.methods or METHODS if one in METHODS]:
        n_tables = min(options.n, FEWER.get(name, options.n))
        p_values = null_p_values(METHODS[name], n_tables)
        cells = [f"{np.mean(p_values <= a):.3f}" for a in (0.05, 0.01)] + [f"{distance_from_uniform(p_values):.2f}"]
        for correlation in (0.0, 0.5):
            false, found = false_shares(METHODS[name], n_tables, correlation)
            cells.append(f"{false.mean():.3f} ± {false.std(ddof=1) / np.sqrt(n_tables):.3f}")
            if correlation == 0:
                power = f"{found.mean():.0%}"
        print(f"| {name} | {n_tables} | {' | '.join(cells)} | {power} |", flush=True)


if __name__ == "__main__":
    main()

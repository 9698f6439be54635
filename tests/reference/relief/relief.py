"""Mean margins of the Relief family from the formulas, pair by pair."""

from __future__ import annotations

import numpy as np

TIE = 1e-12


def scaled(X, is_categorical):
    """Numbers to [0, 1]; which columns vary."""
    lowest, highest = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    varies = highest > lowest
    numbers = varies & ~is_categorical
    X = X.copy()
    X[:, numbers] = (X[:, numbers] - lowest[numbers]) / (highest - lowest)[numbers]
    return X, varies


def differences(x, Z, is_categorical):
    """|x - z| by column for each row z; NaN where either is missing."""
    apart = np.abs(Z - x)
    return np.where(is_categorical & ~np.isnan(apart), apart > 0, apart)


def distances(apart, metric, weights):
    """Over the observed columns, grown to all of them; infinite where there are none."""
    terms = apart**2 if metric == "l2" else apart
    total = np.nansum(weights * terms, axis=1)
    observed = (weights * ~np.isnan(apart)).sum(axis=1)
    grown = np.full(len(apart), np.inf)
    has_any = observed > 0
    grown[has_any] = total[has_any] * weights.sum() / observed[has_any]
    return grown


def neighbour_weights(t, k):
    """One for the k nearest; those as far as the k-th share what is left of k."""
    known = np.isfinite(t)
    if known.sum() <= k:
        return known.astype(float)
    kth = np.sort(t)[k - 1]
    is_nearer = t < kth * (1 - TIE)
    is_tied = ~is_nearer & (t <= kth * (1 + TIE))
    return is_nearer + is_tied * (k - is_nearer.sum()) / is_tied.sum()


def weighted_mean(apart, weights):
    """By column, over the rows that have a value; NaN where none has."""
    weights = weights[:, None] * ~np.isnan(apart)
    total = weights.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, (weights * np.nan_to_num(apart)).sum(axis=0) / total, np.nan)


def mean_misses(groups):
    """Sum of share times mean; a group without a value in a column is left out, and the other shares grow."""
    shares, means = np.array([share for share, _ in groups])[:, None], np.array([mean for _, mean in groups])
    there = (shares * ~np.isnan(means)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(there > 0, np.nansum(shares * means, axis=0) * shares.sum() / there, np.nan)


def margins(X, y, rule, k=1, metric="l1", is_categorical=None, queries=None):
    """The mean margin of each column; rule is "relief", "relieff", "balanced", "printed" or "map"."""
    is_categorical = np.zeros(X.shape[1], dtype=bool) if is_categorical is None else is_categorical
    X, varies = scaled(X, is_categorical)
    share = {c: np.mean(y == c) for c in np.unique(y)}
    found = []
    for n in range(len(X)) if queries is None else queries:
        if np.sum(y == y[n]) < 2:
            continue
        apart = differences(X[n], X, is_categorical)
        t = distances(apart[:, varies], metric, np.ones(varies.sum()))

        def mean(is_candidate, c=None, apart=apart, t=t):
            of_class = k if rule != "balanced" else balanced_k(k, y, c)
            return weighted_mean(apart[is_candidate], neighbour_weights(t[is_candidate], of_class))

        hit = mean((y == y[n]) & (np.arange(len(y)) != n), y[n])
        if rule in ("relief", "map"):
            miss = mean(y != y[n])
        else:
            miss = mean_misses([(share[c], mean(y == c, c)) for c in share if c != y[n]])
        own = share[y[n]]
        balance = (1 - own) / sum(p * (1 - p) for p in share.values())
        factors = {
            "relief": (1, 1),
            "map": (own, 1 - own),
            "relieff": (1 / (1 - own), 1),
            "balanced": (balance / (1 - own), balance),
            "printed": (1, 1),
        }[rule]
        found.append(factors[0] * miss - factors[1] * hit)
    return mean_of(found, varies)


def balanced_k(k, y, c):
    """How many neighbours of class c: k + 1 grows with the class, up to eight times."""
    counts = np.unique(y, return_counts=True)[1]
    smallest = max(counts.min(), 4 * (k + 1))
    times = min(np.sum(y == c) / smallest, 8)
    return round((k + 1) * (times if times >= 1.5 else 1)) - 1


def mean_of(found, varies):
    found = np.array(found)
    known = ~np.isnan(found)
    with np.errstate(invalid="ignore"):
        mean = np.nansum(found, axis=0) / known.sum(axis=0)
    return np.where(varies, mean, 0.0)


def unit(v):
    positive = np.clip(np.nan_to_num(v, nan=-1.0), 0, None)
    if positive.any():
        return positive / np.linalg.norm(positive)
    return (np.arange(len(v)) == np.nanargmax(v)).astype(float)


def iterative_margins(X, y, metric="l1", is_categorical=None, width=0.5, n_rounds=200):
    """The margins of the last round of Iterative Relief."""
    is_categorical = np.zeros(X.shape[1], dtype=bool) if is_categorical is None else is_categorical
    X, varies = scaled(X, is_categorical)
    weights = varies / np.sqrt(max(varies.sum(), 1))
    for _ in range(n_rounds):
        found = []
        for n in range(len(X)):
            if np.sum(y == y[n]) < 2:
                continue
            apart = differences(X[n], X, is_categorical)
            t = distances(apart[:, varies], metric, weights[varies])
            f = np.exp(-(np.sqrt(t) if metric == "l2" else t) / width)
            f[n] = 0.0
            is_hit = y == y[n]
            if f[is_hit].sum() == 0 or f[~is_hit].sum() == 0:
                continue
            outlier = f[~is_hit].sum() / f.sum()
            miss, hit = (weighted_mean(apart[which], f[which]) for which in (~is_hit, is_hit))
            found.append((1 - outlier) * (miss - hit))
        nu = mean_of(found, varies)
        before, weights = weights, varies * unit(np.where(varies, nu, -1e300))
        if np.linalg.norm(weights - before) < 1e-6:
            break
    return nu


def threshold_margins(X, y, by_row, far, metric="l1", is_categorical=None):
    """Margins over all rows nearer than a threshold (SURF, MultiSURF); far ones the other way round (SURF*)."""
    is_categorical = np.zeros(X.shape[1], dtype=bool) if is_categorical is None else is_categorical
    X, varies = scaled(X, is_categorical)
    apart = np.array([differences(x, X, is_categorical) for x in X])
    t = np.array([distances(a[:, varies], metric, np.ones(varies.sum())) for a in apart])
    t = np.sqrt(t) if metric == "l2" else t
    np.fill_diagonal(t, np.inf)
    known = np.isfinite(t)
    overall = t[known].mean() if known.any() else 0.0
    near, beyond = [], []
    for n in range(len(X)):
        own = t[n][known[n]]
        mean, half = (own.mean(), own.std() / 2) if by_row and len(own) else (overall, 0.0)
        is_near = known[n] & (t[n] < (mean - half) * (1 - TIE))
        is_far = known[n] & (t[n] > (mean + half) * (1 + TIE))
        for found, which, sign in ((near, is_near, 1), (beyond, is_far, -1)):
            hits, misses = which & (y == y[n]), which & (y != y[n])
            miss, hit = (weighted_mean(apart[n], group * 1.0) for group in (misses, hits))
            # What is not there counts nothing, where the other is.
            margin = np.nan_to_num(miss) - np.nan_to_num(hit)
            found.append(np.where(np.isnan(miss) & np.isnan(hit), np.nan, sign * margin))
    nothing = np.full((1, X.shape[1]), np.nan)
    near, beyond = (mean_of(np.array(found) if found else nothing, varies) for found in (near, beyond))
    return np.where(np.isnan(beyond), near, near + beyond) if far else near

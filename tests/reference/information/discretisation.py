"""How a column becomes categories, value by value; -1 is missing."""

from __future__ import annotations

import numpy as np


def categories(column, discretize, n_bins, factor):
    seen = column[~np.isnan(column)]
    out = np.full(len(column), -1)
    if len(seen) == 0:
        return out
    if discretize == "auto":
        distinct = np.unique(seen)
        is_few = len(distinct) <= 10 and bool(np.all(distinct == np.floor(distinct)))
        discretize = None if is_few else "sigma"
    out[~np.isnan(column)] = _of_seen(seen, discretize, n_bins, factor)
    return out


def _of_seen(seen, discretize, n_bins, factor):
    if discretize is None:
        return np.unique(seen, return_inverse=True)[1]
    if seen.min() == seen.max():
        return np.zeros(len(seen), dtype=int)
    if discretize == "sigma":
        mean, reach = seen.mean(), factor * seen.std(ddof=1)
        return np.where(seen < mean - reach, 0, np.where(seen > mean + reach, 2, 1))
    shares = np.arange(1, n_bins) / n_bins
    limits = {
        "mean": lambda: [seen.mean()],
        "width": lambda: seen.min() + (seen.max() - seen.min()) * shares,
        "frequency": lambda: np.setdiff1d(np.quantile(seen, shares, method="lower"), [seen.max()]),
    }[discretize]()
    return (seen[:, None] > np.asarray(limits)).sum(axis=1)

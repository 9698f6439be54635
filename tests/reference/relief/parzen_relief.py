"""Sums of Gaussian kernels between classes and Parzen-Relief, from the formulas: all pairs of rows."""

from __future__ import annotations

import numpy as np


def class_sums(x, y, s, weights=None):
    """S_cd = sum over i in c, j in d of w_i w_j exp(-(x_i - x_j)^2 / 2 s^2) over observed rows; classes ascending."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    classes = np.unique(y)
    S = np.zeros((len(classes), len(classes)))
    members = [np.flatnonzero((y == c) & ~np.isnan(x)) for c in classes]
    for a, rows in enumerate(members):
        for b, others in enumerate(members):
            K = np.exp(-(((x[rows][:, None] - x[others]) / s) ** 2) / 2)
            S[a, b] = (w[rows][:, None] * K * w[others]).sum()
    return S


def sd(x, weights=None):
    x = np.asarray(x, dtype=np.longdouble)  # whose squares do not vanish
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    there = ~np.isnan(x)
    x, w = x[there], w[there]
    mean = (w * x).sum() / w.sum()
    return float(np.sqrt((w * (x - mean) ** 2).sum() / w.sum()))


def margin(S, N_c, printed=False):
    """m of one column, from its sums and the weights of its classes."""
    N_c = np.asarray(N_c, dtype=np.float64)
    N = N_c.sum()
    terms = []
    for c in range(len(N_c)):
        if N_c[c] < (np.finfo(float).tiny if printed else 2) or N_c[c] == N:
            continue
        own, others = S[c, c], S[c].sum() - S[c, c]
        if printed:
            terms.append(own / N_c[c] - others / (N - N_c[c]))
        else:
            terms.append((own - N_c[c]) / (N_c[c] * (N_c[c] - 1)) - others / (N_c[c] * (N - N_c[c])))
    if not terms:
        return 0.0
    return sum(terms) / (N if printed else len(terms))


def parzen_relief(X, y, width, printed=False, weights=None):
    """The mean margin of each column, scaled to [0, 1] where the width is a number."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
    scores = []
    for x in X.T:
        there = ~np.isnan(x)
        if not there.any():
            scores.append(np.nan)
            continue
        if np.nanmax(x) == np.nanmin(x):
            scores.append(0.0)
            continue
        if width == "sd/2":
            s = sd(x, w) / 2
        elif width == "silverman":
            s = 1.06 * sd(x, w) * w[there].sum() ** -0.2
        else:
            s = width * (np.nanmax(x) - np.nanmin(x))
        N_c = [w[there & (y == c)].sum() for c in np.unique(y)]
        scores.append(margin(class_sums(x, y, s, w), N_c, printed))
    return np.array(scores)


def bayes_error(X, y, density="parzen", width=0.5, k=5, weights=None):
    """mean_n [p(y) p(x|y) - sum p(c) p(x|c)] / sum p(c) p(x|c), row after row; weights are whole numbers of copies."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    if weights is not None:
        X, y = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    X = X[:, np.ptp(X, axis=0) > 0]
    if X.shape[1] == 0:
        return 0.0
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    n = len(y)
    D = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    eta = min(1 / (2 * width**2), 4 / (D.sum() / (n * (n - 1))))
    found = []
    for i in range(n):
        if (y == y[i]).sum() < 2:
            continue
        joint = {}
        for c in np.unique(y):
            others = np.flatnonzero((y == c) & (np.arange(n) != i))
            share = (y == c).sum() / n
            if density == "parzen":
                joint[c] = share * np.exp(-eta * D[i, others]).mean()
                continue
            r = np.sort(D[i, others])[min(k, len(others)) - 1]
            m = (D[i, others] <= r * (1 + 1e-12)).sum()
            joint[c] = (share * m / len(others), r)
        if density == "neighbors":
            if any(r == 0 for _, r in joint.values()):
                joint = {c: part if r == 0 else 0.0 for c, (part, r) in joint.items()}
            else:
                joint = {c: part / r ** (X.shape[1] / 2) for c, (part, r) in joint.items()}
        found.append((2 * joint[y[i]] - sum(joint.values())) / sum(joint.values()))
    return float(np.mean(found))

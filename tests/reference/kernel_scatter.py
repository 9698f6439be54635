"""Kernel class separability as its formulas have it, slowly: every matrix whole, every sum a loop over classes."""

from __future__ import annotations

import numpy as np


def scaled(X, scale="symmetric"):
    """Columns as the criterion scales them; one that does not vary is zero."""
    X = np.asarray(X, dtype=np.float64)
    low, high = X.min(axis=0), X.max(axis=0)
    varies = high > low
    if scale is None:
        return np.where(varies, X, 0.0)
    origin, unit = ((low + high) / 2, (high - low) / 2) if scale == "symmetric" else (X.mean(axis=0), X.std(axis=0))
    return np.where(varies, (X - origin) / np.where(varies, unit, 1.0), 0.0)


def gaussian(Z, eta):
    """K_ij = exp(-sum_f eta_f (z_if - z_jf)^2)."""
    return np.exp(-(np.square(Z[:, None, :] - Z[None, :, :]) * eta).sum(axis=2))


def traces(K, y):
    """tr S_B, tr S_W and tr S_T from the scatter matrices' definition, with means in the space of the kernel."""
    n = len(y)
    between = within = 0.0
    for label in np.unique(y):
        own = np.flatnonzero(y == label)
        # |m_a - m|^2 = <m_a, m_a> - 2 <m_a, m> + <m, m>
        between += len(own) * (K[np.ix_(own, own)].mean() - 2 * K[own].mean() + K.mean())
        for i in own:
            within += K[i, i] - 2 * K[i, own].mean() + K[np.ix_(own, own)].mean()
    total = sum(K[i, i] - 2 * K[i].mean() + K.mean() for i in range(n))
    return between, within, total


def between_gradient(Z, y, eta):
    """d tr S_B / d eta_f = -<M o K, (z_if - z_jf)^2>, M_ij = [y_i = y_j] / n_{y_i} - 1/n."""
    n = len(y)
    K = gaussian(Z, eta)
    M = np.array([[(y[i] == y[j]) / np.sum(y == y[i]) - 1 / n for j in range(n)] for i in range(n)])
    return np.array([-(M * K * np.square(column[:, None] - column[None, :])).sum() for column in Z.T])


def mean_distance(Z):
    """The mean squared distance between two different rows."""
    n = len(Z)
    D = np.square(Z[:, None, :] - Z[None, :, :]).sum(axis=2)
    return D.sum() / (n * (n - 1))


def best_width(value, Z, last=10.0, fine=801):
    """The highest value over eta from 2^-10 to 2^last over the mean distance, of very many widths, and eta there."""
    distance = mean_distance(Z)
    if distance == 0:
        return 0.0, 0.0
    etas = 2.0 ** np.linspace(-10, last, fine) / distance
    values = [value(eta) for eta in etas]
    return max(values), etas[int(np.argmax(values))]


def best_between(Z, y, **options):
    """The largest tr S_B with one eta for all columns of Z."""
    same = np.ones(Z.shape[1])
    return best_width(lambda eta: traces_fast(gaussian(Z, eta * same), y)[0], Z, **options)


def traces_fast(K, y):
    """The closed forms of tr S_B, tr S_W, tr S_T, which the definition above is tested against."""
    own = sum(K[np.ix_(y == label, y == label)].sum() / np.sum(y == label) for label in np.unique(y))
    return own - K.sum() / len(y), np.trace(K) - own, np.trace(K) - K.sum() / len(y)


def alignment(K, y):
    """<K, T> / |K| |T|; T = yy' with labels of -1 and 1 for two classes, else the centred matrix of equal classes."""
    labels = np.unique(y)
    if len(labels) == 2:
        sign = np.where(y == labels[0], -1.0, 1.0)
        target = np.outer(sign, sign)
    else:
        equal = (y[:, None] == y[None, :]).astype(np.float64)
        centre = np.eye(len(y)) - 1 / len(y)
        target = centre @ equal @ centre
    return (K * target).sum() / (np.linalg.norm(K) * np.linalg.norm(target))

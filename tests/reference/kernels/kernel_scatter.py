"""Kernel class separability as its formulas have it, slowly: every matrix whole, every sum a loop over classes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.optimize import minimize


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


def laplacian(Z, eta):
    """K_ij = exp(-sum_f eta_f |z_if - z_jf|)."""
    return np.exp(-(np.abs(Z[:, None, :] - Z[None, :, :]) * eta).sum(axis=2))


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


def scatter_matrices(K, y):
    """S_B and S_T in coordinates of the space of the kernel: K = P P', one row of P for each row."""
    lengths, directions = np.linalg.eigh(K)
    points = directions * np.sqrt(np.maximum(lengths, 0.0))
    points = points - points.mean(axis=0)
    between = np.zeros((len(K), len(K)))
    for label in np.unique(y):
        mean = points[y == label].mean(axis=0)
        between += np.sum(y == label) * np.outer(mean, mean)
    return between, points.T @ points


def discriminant_ratio(K, y):
    """max_w w'S_B w / w'S_T w, where w'S_T w > 0: what kernel Fisher discriminant analysis maximizes."""
    between, total = scatter_matrices(K, y)
    lengths, directions = np.linalg.eigh(total)
    kept = lengths > 1e-9 * lengths.max(initial=0.0)
    if not kept.any():
        return 0.0
    whitened = directions[:, kept] / np.sqrt(lengths[kept])
    return float(np.linalg.eigvalsh(whitened.T @ between @ whitened).max())


def determinant_ratio(K, y, ridge):
    """log det(S_T + ridge I) - log det(S_W + ridge I): the determinant form of the criterion, Eq. 1 with |.| for tr."""
    between, total = scatter_matrices(K, y)
    identity = ridge * np.eye(len(K))
    return np.linalg.slogdet(total + identity)[1] - np.linalg.slogdet(total - between + identity)[1]


def between_gradient(Z, y, eta):
    """d tr S_B / d eta_f = -<M o K, (z_if - z_jf)^2>, M_ij = [y_i = y_j] / n_{y_i} - 1/n."""
    n = len(y)
    K = gaussian(Z, eta)
    M = np.array([[(y[i] == y[j]) / np.sum(y == y[i]) - 1 / n for j in range(n)] for i in range(n)])
    return np.array([-(M * K * np.square(column[:, None] - column[None, :])).sum() for column in Z.T])


def laplacian_between_gradient(Z, y, eta):
    """d tr S_B / d eta_f = -sum_ij M_ij K_ij |z_if - z_jf| by the Laplacian kernel, a pair of rows after the other."""
    n, K = len(y), laplacian(Z, eta)
    gradient = np.zeros(Z.shape[1])
    for i in range(n):
        for j in range(n):
            M = (y[i] == y[j]) / np.sum(y == y[i]) - 1 / n
            gradient -= M * K[i, j] * np.abs(Z[i] - Z[j])
    return gradient


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


def best_weights(Z, y, kept, start, eta_0, strength):
    """(1 - lambda) tr S_B - lambda |eta - eta_0|^2, highest in the weights of the columns kept; and its gradient."""
    same = y[:, None] == y
    M = same / same.sum(axis=1) - 1 / len(y)
    squares = np.square(Z[:, None, :] - Z[None, :, :])

    def at(weights):
        eta = np.zeros(Z.shape[1])
        eta[kept] = weights
        W = M * np.exp(-squares @ eta)
        slope = -np.array([(W * squares[:, :, f]).sum() for f in range(Z.shape[1])])
        value = (1 - strength) * W.sum() - strength * np.square(eta - eta_0).sum()
        return value, ((1 - strength) * slope - 2 * strength * (eta - eta_0))[kept]

    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000}
    found = minimize(
        lambda w: tuple(-part for part in at(w)), start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(kept),
        options=options,
    )  # fmt: skip
    return found.x, *at(found.x)


def eliminate(Z, y, eta_0, strength, step=1):
    """Remove `step` columns of the least weight at a time, then optimise the rest from there.

    Return for each number of columns left: these columns, their weights and the value; and the columns in the order of
    their removal with the least difference of weights, or of gradients where both weights are zero, that decided.
    """
    kept = list(range(Z.shape[1]))
    weights, value, gradient = best_weights(Z, y, kept, eta_0, eta_0, strength)
    found, removed, closest = {len(kept): (list(kept), weights, value)}, [], np.inf
    while len(kept) > 1:
        varies = [np.ptp(Z[:, j]) > 0 for j in kept]
        # The first to go: a column that does not vary, the least weight, the least gradient, the highest column.
        by = sorted(range(len(kept)), key=lambda i: (varies[i], weights[i], gradient[i], -kept[i]))
        count = min(step, len(kept) - 1)
        for i, after in pairwise(by[: count + 1]):
            if varies[i] and not np.array_equal(Z[:, kept[i]], Z[:, kept[after]]):
                both_zero = weights[i] == 0 == weights[after]
                closest = min(closest, abs(gradient[after] - gradient[i]) if both_zero else weights[after] - weights[i])
        removed += [kept[i] for i in by[:count]]
        rest = [i for i in range(len(kept)) if i not in by[:count]]
        kept = [kept[i] for i in rest]
        weights, value, gradient = best_weights(Z, y, kept, weights[rest], eta_0, strength)
        found[len(kept)] = (list(kept), weights, value)
    return found, removed, closest

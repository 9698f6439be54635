"""Linear SVMs, slowly: non-negative least squares, and linear programs written out."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog, nnls


def standardized(X):
    """Columns of mean 0 and variance 1; a constant one is zero."""
    spread = X.std(axis=0)
    varies = X.max(axis=0) > X.min(axis=0)
    return np.where(varies, (X - X.mean(axis=0)) / np.where(varies, spread, 1.0), 0.0)


def one_against_rest(y):
    """One line of 1 and -1 a class; a single one where there are two."""
    classes = np.unique(y)
    return [np.where(y == c, 1.0, -1.0) for c in (classes[:1] if len(classes) == 2 else classes)]


def squared_hinge_weights(Z, signs, C):
    """w of min 1/2 (|w|^2 + b^2) + C sum max(0, 1 - y (w.x + b))^2, by its dual: min 1/2 a'(Q + 1/2C)a - sum a."""
    rows = np.column_stack([Z, np.ones(len(Z))]) * signs[:, None]
    root = np.linalg.cholesky(rows @ rows.T + np.eye(len(Z)) / (2 * C))
    a, _ = nnls(root.T, np.linalg.solve(root, np.ones(len(Z))), maxiter=10_000)
    return (a @ rows)[:-1]


def norms(Z, y, C=1.0):
    """The norm over one-against-rest of each column's weight."""
    return np.sqrt(sum(squared_hinge_weights(Z, signs, C) ** 2 for signs in one_against_rest(y)))


def elimination_order(Z, y, C=1.0, step=1):
    """The columns from the last that is left to the first that was dropped; of equal ones the highest goes."""
    left, gone = list(range(Z.shape[1])), []
    while len(left) > 1:
        weights = np.round(norms(Z[:, left], y, C), 11)
        order = np.lexsort((-np.array(left), weights))[: min(step, len(left) - 1)]
        gone += [left[k] for k in order]
        left = [column for k, column in enumerate(left) if k not in set(order.tolist())]
    return left + gone[::-1]


def hinge_program(Z, signs, costs, penalties):
    """w and losses of min sum penalties |w| + sum costs max(0, 1 - y (w.x + b)), and what is reached."""
    n, p = Z.shape
    rows = signs[:, None] * np.column_stack([Z, -Z, np.ones(n)])
    found = linprog(
        np.concatenate([penalties, penalties, [0.0], costs]),
        A_ub=np.column_stack([-rows, -np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(0, None)] * (2 * p) + [(None, None)] + [(0, None)] * n,
        method="highs-ds",
    )
    assert found.status == 0
    return found.x[:p] - found.x[p : 2 * p], found.x[2 * p + 1 :], found.fun


def l1_norms(Z, y, C=1.0):
    found = [hinge_program(Z, s, np.full(len(y), C), np.ones(Z.shape[1]))[0] for s in one_against_rest(y)]
    return np.sqrt(sum(w**2 for w in found))


def rescaled_shares(Z, y, C=1.0):
    """The share of each column when columns are multiplied by their weights again and again; nothing is dropped."""
    z = np.ones(Z.shape[1])
    share = z / z.sum()
    for _ in range(30):
        z = z * norms(Z * z, y, C)
        before, share = share, z / z.sum()
        if np.abs(share - before).max() < 1e-6:
            break
    return share


def concave_weights(Z, signs, suppression=0.05, steepness=5.0):
    """|w| of FSV by successive linear programs, and the value that each reached."""
    costs = (1 - suppression) / np.where(signs > 0, (signs > 0).sum(), (signs < 0).sum())
    w, losses = np.zeros(Z.shape[1]), np.ones(len(Z))
    values = []
    while True:
        penalties = suppression * steepness * np.exp(-steepness * w)
        before = costs @ losses + penalties @ w
        new, losses, reached = hinge_program(Z, signs, costs, penalties)
        w = np.abs(new)
        values.append(costs @ losses + suppression * (1 - np.exp(-steepness * w)).sum())
        if before - reached < 1e-6:
            return w, values

"""w of kernel weights, and the least w over kernel weights, by a general solver, to eight digits."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def signs_of(y):
    """One SVM for two classes, one for each class against the rest for more."""
    classes = np.unique(y)
    return [np.where(y == c, 1.0, -1.0) for c in (classes[:1] if len(classes) == 2 else classes)]


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def w(X, y, kernel_weights, C, tau):
    """sum over SVMs of max 2 sum alpha - beta' (sum_i p_i x_i x_i' + tau I) beta, beta = alpha y."""
    kernel = (X * kernel_weights) @ X.T + tau * np.eye(len(X))
    total = 0.0
    for signs in signs_of(y):
        matrix = kernel * np.outer(signs, signs)
        unit = min(C, 1.0)
        found = minimize(
            lambda a, Q=matrix, s=unit: a @ Q @ a * s**2 - 2 * s * a.sum(), np.zeros(len(X)),
            jac=lambda a, Q=matrix, s=unit: 2 * s**2 * (Q @ a) - 2 * s, bounds=[(0, C / unit)] * len(X),
            constraints={"type": "eq", "fun": lambda a, v=signs: a @ v, "jac": lambda a, v=signs: v},
            method="SLSQP", options={"ftol": 1e-14, "maxiter": 1000},
        )  # fmt: skip
        total -= found.fun
    return total


def least_w(X, y, size, C, tau):
    """The least w over kernel weights of this size."""
    return solved_qcqp(X, y, size, C, tau)[0]


def solved_qcqp(X, y, size, C, tau):
    """Value and squared projections tau_i of the QCQP.

    max 2 sum alpha - tau |alpha|^2 - m lambda - sum gamma with u_i^2 <= lambda + gamma_i (the paper's Eq. 8).
    """
    all_signs = signs_of(y)
    n, d, k = len(X), X.shape[1], len(all_signs)
    projection = np.zeros((k, d, k * n))
    for j, signs in enumerate(all_signs):
        projection[j, :, j * n : (j + 1) * n] = (X * signs[:, None]).T
    unit = min(C, 1.0)
    split = k * n

    def objective(v):
        alpha = unit * v[:split]
        return -(2 * alpha.sum() - tau * alpha @ alpha) + size * v[split] + v[split + 1 :].sum()

    def gradient(v):
        return np.concatenate([unit * (2 * tau * unit * v[:split] - 2), [size], np.ones(d)])

    def slack(v):
        return v[split] + v[split + 1 :] - np.square(unit * projection @ v[:split]).sum(axis=0)

    def slack_jacobian(v):
        of_alpha = -2 * np.einsum("ji,jia->ia", unit * projection @ v[:split], unit * projection)
        return np.hstack([of_alpha, np.ones((d, 1)), np.eye(d)])

    balance = np.zeros((k, split + 1 + d))
    for j, signs in enumerate(all_signs):
        balance[j, j * n : (j + 1) * n] = signs
    found = minimize(
        objective, np.concatenate([np.zeros(split), [1.0], np.ones(d)]), jac=gradient, method="SLSQP",
        bounds=[(0, C / unit)] * split + [(None, None)] + [(0, None)] * d,
        constraints=[
            {"type": "eq", "fun": lambda v: balance @ v, "jac": lambda v: balance},
            {"type": "ineq", "fun": slack, "jac": slack_jacobian},
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    return -found.fun, np.square(unit * projection @ found.x[:split]).sum(axis=0)

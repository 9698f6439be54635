"""The radius-margin bound from its formulas: the quadratic programs by a general solver, gradients pair by pair."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def gaussian_kernel(X, eta):
    n = len(X)
    K = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            K[i, j] = np.exp(-sum(eta[f] * (X[i, f] - X[j, f]) ** 2 for f in range(X.shape[1])))
    return K


def linear_kernel(X, squared_factors):
    return np.array([[(x * z * squared_factors).sum() for z in X] for x in X])


def _largest(H, linear, direction, total):
    """max linear'x - x'Hx over x >= 0 with direction'x = total: a general solver finds which rows are zero, and
    the equations that then hold give the rest."""
    n = len(H)
    start = np.where(direction > 0, 1.0 / (direction > 0).sum(), 0.0)
    if total == 0:
        start += np.where(direction < 0, 1.0 / max((direction < 0).sum(), 1), 0.0)
    size = 1.0 if total else max(1.0, 1.0 / np.abs(H).max())
    found = minimize(
        lambda x: (x @ H @ x - linear @ x) / max(1.0, np.abs(linear).max()),
        start * size,
        jac=lambda x: (2 * H @ x - linear) / max(1.0, np.abs(linear).max()),
        bounds=[(0, None)] * n,
        constraints={"type": "eq", "fun": lambda x: direction @ x - total, "jac": lambda x: direction},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    free = found.x > 1e-7 * found.x.max()
    for _ in range(5 * n):
        m = int(free.sum())
        left = np.zeros((m + 1, m + 1))
        left[:m, :m], left[:m, m], left[m, :m] = 2 * H[np.ix_(free, free)], direction[free], direction[free]
        solution = np.linalg.solve(left, np.append(linear[free], total))
        x = np.zeros(n)
        x[free] = solution[:m]
        wants = linear - 2 * H @ x - solution[m] * direction
        # One row that violates its condition at a time, if any.
        if x.min() < -1e-10 * np.abs(x).max():
            free[np.argmin(x)] = False
        elif (wants[~free] > 1e-9).any():
            free[np.flatnonzero(~free)[np.argmax(wants[~free])]] = True
        else:
            return x, float(linear @ x - x @ H @ x)
    raise AssertionError("the reference has not solved its program")


def margin(K, signs, C):
    """||w||^2 and the multipliers a: max 2 sum a - a'(ss' o K~)a, a >= 0, s'a = 0."""
    ridged = K + np.eye(len(K)) / C
    a, value = _largest(np.outer(signs, signs) * ridged, np.full(len(K), 2.0), signs, 0.0)
    return value, a


def ball(K, C):
    """R^2 and the shares b of the rows in the centre: max sum b_i K~_ii - b'K~b, b >= 0, sum b = 1."""
    ridged = K + np.eye(len(K)) / C
    b, value = _largest(ridged, np.diag(ridged).copy(), np.ones(len(K)), 1.0)
    return value, b


def sides(y):
    classes = np.unique(y)
    return [np.where(y == c, 1.0, -1.0) for c in (classes[:1] if len(classes) == 2 else classes)]


def bound(K, y, C):
    """R^2 ||w||^2, summed over the classes against the rest."""
    return ball(K, C)[0] * sum(margin(K, signs, C)[0] for signs in sides(y))


def bound_gradient(X, y, eta, C):
    """Its gradient in every eta_f, with the kernel exp(-sum_f eta_f (x_f - z_f)^2)."""
    K = gaussian_kernel(X, eta)
    radius, b = ball(K, C)
    margins = [(*margin(K, signs, C), signs) for signs in sides(y)]
    gradient = np.zeros(len(eta))
    for f in range(len(eta)):
        of_radius = of_margins = 0.0
        for i in range(len(X)):
            for j in range(len(X)):
                change = -((X[i, f] - X[j, f]) ** 2) * K[i, j]
                of_radius -= b[i] * b[j] * change
                of_margins -= sum(a[i] * a[j] * s[i] * s[j] * change for _, a, s in margins)
        gradient[f] = sum(value for value, _, _ in margins) * of_radius + radius * of_margins
    return gradient

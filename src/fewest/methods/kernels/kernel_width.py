"""The width of a kernel, and the cost of breaking the margin, at which the radius-margin bound is least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.radius_margins import RadiusMargin, RadiusMargins

#: Within these C is tuned. Below the least every row is free and the bound is that of knowing nothing; above the
#: largest the margin is as good as hard.
LEAST_C, MOST_C = 2.0**-10, 2.0**14
#: Where the search for a width begins, as powers of two over the mean squared distance; and its ends.
_FIRST_LOOKS = range(-4, 11, 2)
_LEAST_POWER, _MOST_POWER = -10, 10
#: The cost at the first looks: soft enough for classes that overlap.
_FIRST_C = 0.25
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Width:
    """One kernel exp(-eta D) for all columns at hand, with the cost of breaking the margin, and the bound there."""

    eta: float
    C: float
    bound: float


def best_width(
    margins: RadiusMargins, squared: Floats, mean_squared: float, C: float | None, most: float = 2.0**_MOST_POWER
) -> Width:
    """Where the bound is least over eta, and over C too where that is None.

    squared : the squared distances between the rows
    mean_squared : their mean over pairs of different rows
    most : the largest eta, in units of 1 / mean_squared
    """
    # Imported here: to read the parameters nobody should have to wait for it.
    from scipy.optimize import minimize

    def at(point: Floats) -> tuple[float, Floats]:
        eta = float(np.exp(point[0])) / mean_squared
        cost = float(np.exp(point[1])) if C is None else C
        kernel = np.exp(-eta * squared)
        found = margins.solve(kernel, cost)
        kernel *= squared
        slope = [eta * slope_in_eta(kernel, found)]
        if C is None:
            slope.append(-margins.slope_in_ridge(found) / cost)
        return found.bound, np.array(slope)

    def point_of(eta: float) -> Floats:
        return np.log([eta] if C is not None else [eta, _FIRST_C])

    looks = [2.0**power for power in _FIRST_LOOKS if 2.0**power <= most]
    first = [at(point_of(eta))[0] for eta in looks]
    limits = [(2.0**_LEAST_POWER, most), (LEAST_C, MOST_C)][: 1 if C is not None else 2]
    end = minimize(
        at,
        point_of(looks[int(np.argmin(first))]),
        jac=True,
        method="L-BFGS-B",
        bounds=np.log(limits),
        options={"ftol": _TOLERANCE, "gtol": 0.0},
    )
    return Width(float(np.exp(end.x[0])) / mean_squared, float(np.exp(end.x[1])) if C is None else C, float(end.fun))


def slope_in_eta(kernel_times_squared: Floats, found: RadiusMargin) -> float:
    """What the bound gains when the one eta of all columns grows."""
    of_ball = float(found.in_ball @ kernel_times_squared @ found.in_ball)
    of_margins = float(((found.in_margins @ kernel_times_squared) * found.in_margins).sum())
    return float(found.margins.sum()) * of_ball + found.radius * of_margins

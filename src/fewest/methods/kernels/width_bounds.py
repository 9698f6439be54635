"""Upper bounds of the alignment over all widths, from moments of the squared distances at a few of them.

The sums are of exp(-eta D) over pairs with squared distances D. Times exp(centre eta), which cancels in the alignment,
their derivatives in eta are the moments of D - centre, and the fourth, of a sum with positive factors, is convex:
between two widths it is at most the larger of the two. So the cubic that has a sum's values and first derivatives at a
and b is wrong between them by at most (fourth derivative) (eta - a)^2 (b - eta)^2 / 24.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fewest.arrays import Floats, Indices, Mask

#: The relative error of a number that is rounded to float.
ROUNDING = 2.0**-24

#: Relative error of a term in float: of its exponent, up to 21; of the exponential, which doubles with eta; of a sum.
_EXPONENT_ERROR, _TERM_ERROR, _SUM_ERROR = 4e-6, 6e-7, 2.5e-6
#: With a larger error a bound is of no use.
_MAX_ERROR = 0.1
#: A kernel below this counts as this.
_LEAST_KERNEL = 1e-9
#: Positions between two widths at which the bound is computed; the second derivative bounds it between them.
_N_POSITIONS = 16
_POSITION = np.linspace(0.0, 1.0, _N_POSITIONS + 1)
#: With larger exponents the error of the cubic is too large to be of use.
_MAX_EXPONENT = 60.0
#: Octaves that are evaluated at once.
_FURTHER_WIDTHS = 4
#: From this number of intervals in which a subset is not ruled out, several widths are evaluated at once.
_MANY_INTERVALS = 3
#: The first of these over the lowest that is known.
_FAR_BELOW = 2.0**-3.5
#: A new width is not nearer to those known than this share of their distance.
_NEAR = 0.05


@dataclass(frozen=True)
class DistanceMoments:
    """The sums that the alignment of subsets is made of, and their derivatives, at some widths in rising order.

    The sums, of both orders of a pair of different rows: of the kernel with positive factors, of the kernel with
    negative factors, and of its square.

    eta : (n_subsets, n_widths) the first is 0
    moments : (n_subsets, n_widths, 3, 5) the moments of D - centre in the three sums
    doubled : (n_subsets, n_widths) by how much the relative error of a term has grown, a power of two
    centre : (n_subsets,) about which the moments are taken
    spread : (n_subsets, 2) at eta = 0: the fourth root of the sum of (D - mean)^4 over pairs with the size of their
        factors, and without; there the moments from the second on are unknown
    same : what pairs of a row with itself add to the sum of the kernel, and to that of its square
    rounded : (n_subsets,) the largest error of D that is due to rounding a column
    """

    eta: Floats
    moments: Floats
    doubled: Floats
    centre: Floats
    spread: Floats
    same: tuple[float, float]
    rounded: Floats

    def only(self, which: Indices | Mask) -> DistanceMoments:
        """Return those of some subsets."""
        return DistanceMoments(
            self.eta[which],
            self.moments[which],
            self.doubled[which],
            self.centre[which],
            self.spread[which],
            self.same,
            self.rounded[which],
        )

    def with_widths(self, eta: Floats, moments: Floats) -> DistanceMoments:
        """Return these and more: (n_subsets,) the first eta of an evaluation, and what it found."""
        doubles = 2.0 ** np.arange(moments.shape[1])
        every = np.concatenate([self.eta, eta[:, None] * doubles], axis=1)
        order = np.argsort(every, axis=1, kind="stable")
        found = np.concatenate([self.moments, moments], axis=1)
        doubled = np.concatenate([self.doubled, np.broadcast_to(doubles, (len(eta), len(doubles)))], axis=1)
        return replace(
            self,
            eta=np.take_along_axis(every, order, axis=1),
            moments=np.take_along_axis(found, order[:, :, None, None], axis=1),
            doubled=np.take_along_axis(doubled, order, axis=1),
        )

    def errors(self, power: int) -> tuple[Floats, Floats]:
        """Return bounds of the error of the sum of the kernel's power: relative to the sum, and besides."""
        of_distance = np.expm1(np.minimum(power * self.eta * self.rounded[:, None], 1.0))
        error = _EXPONENT_ERROR + power * self.doubled * _TERM_ERROR + of_distance + _SUM_ERROR
        total = self.moments[:, :1, 0, 0] + self.moments[:, :1, 1, 0] if power == 1 else self.moments[:, :1, 2, 0]
        return error, _LEAST_KERNEL * total

    def values(self) -> tuple[Floats, Floats]:
        """Return the alignment at each width, and a bound of its error."""
        (error, besides), (error_of_square, besides_square) = self.errors(1), self.errors(2)
        positive, negative, squares = (self.moments[:, :, part, 0] for part in range(3))
        square = self.same[1] + squares
        value = (self.same[0] + positive - negative) / np.sqrt(square)
        # The relative error of a root is half that of the number, and a little more.
        wrong = (error * (positive + negative) + besides) / np.sqrt(square)
        return value, wrong + np.abs(value) * (error_of_square * squares + besides_square) / square


@dataclass(frozen=True)
class _Ends:
    """A sum over pairs of different rows, times exp(growth (eta - a)), at both ends of intervals from a to b.

    (2, n_subsets, n_intervals) each, but same : what pairs of a row with itself add; growth : (n_subsets, n_intervals).
    """

    value: Floats
    slope: Floats
    value_error: Floats
    slope_error: Floats
    fourth: Floats
    same: float
    growth: Floats


def able_to_reach(
    known: DistanceMoments,
    value: float,
    last: Floats,
    evaluate: Callable[[Floats, int, Indices], Floats],
    n_rounds: int,
) -> Mask:
    """Return which subsets may have an alignment of `value` at some eta.

    last : (n_subsets,) the highest eta
    evaluate(eta, n_widths, which) : the moments of these subsets at eta, 2 eta, 4 eta ...
    n_rounds : the number of evaluations after which a subset counts as able
    """
    able = np.zeros(len(last), dtype=bool)
    left: Indices = np.arange(len(last))
    for turn in range(n_rounds + 1):
        values, errors = known.values()
        is_able = (values + errors >= value).any(axis=1) | (known.errors(2)[0] > _MAX_ERROR).any(axis=1)
        excess, where = excess_between(known, value)
        beyond = np.where(known.eta[:, -1] < last[left], excess_beyond(known, value), -np.inf)
        is_open = ~is_able & ((excess >= 0).any(axis=1) | (beyond >= 0))
        able[left[is_able | (is_open & (turn == n_rounds))]] = True
        if turn == n_rounds or not is_open.any():
            break
        left, known = left[is_open], known.only(is_open)
        eta, n_widths = _next_widths(known, excess[is_open], where[is_open], beyond[is_open])
        known = known.with_widths(eta, evaluate(eta, n_widths, left))
    return able


def _next_widths(known: DistanceMoments, excess: Floats, where: Floats, beyond: Floats) -> tuple[Floats, int]:
    """Return where to evaluate next, and at how many widths: where the bound is highest, or above those known."""
    rows = np.arange(len(excess))
    index = np.argmax(excess, axis=1)
    a, b = known.eta[rows, index], known.eta[rows, index + 1]
    eta = np.clip(where[rows, index], a + _NEAR * (b - a), b - _NEAR * (b - a))
    eta = np.where(a > 0, eta, b / 4.0)
    is_open = excess >= 0
    if np.median(is_open.sum(axis=1)) >= _MANY_INTERVALS:
        # From the lowest on; below all that are known the doubles come between these.
        lowest = np.argmax(is_open, axis=1)
        below = known.eta[rows, 1] * _FAR_BELOW
        eta = np.where(lowest > 0, where[rows, lowest], below)
        return np.where(is_open.any(axis=1), eta, 2.0 * known.eta[:, -1]), _FURTHER_WIDTHS
    is_inside = excess[rows, index] >= 0
    if np.count_nonzero(is_inside) * 2 >= len(rows):
        # Most need one width; the others get their octave one at a time.
        return np.where(is_inside, eta, 2.0 * known.eta[:, -1]), 1
    return np.where(beyond >= 0, 2.0 * known.eta[:, -1], eta), _FURTHER_WIDTHS


def excess_between(known: DistanceMoments, value: float) -> tuple[Floats, Floats]:
    """Return an upper bound of product - value * length over all eta between neighbouring widths, and eta there.

    (n_subsets, n_widths - 1). Product is the sum of the kernel, length the root of that of its square, both times
    exp(centre (eta - a)): where the bound is negative the alignment is below `value` in the whole interval.
    """
    a, b = known.eta[:, :-1], known.eta[:, 1:]
    apart = b - a
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        of_kernel = known.moments[:, :, 0] + known.moments[:, :, 1]
        mean = np.nan_to_num(of_kernel[..., 1] / of_kernel[..., 0])
        shift = (mean[:, :-1] + mean[:, 1:]) / 2.0
        exponent = (known.centre[:, None] + shift) * apart
        grown = np.exp(np.minimum(exponent, _MAX_EXPONENT))
        bound, position = _highest(_ends(known, shift, 1, grown), _ends(known, shift, 2, grown), apart, value)
        # A simpler bound, for intervals too wide for the cubic: sums of positive terms fall with eta.
        (error, besides), (error_of_square, besides_square) = known.errors(1), known.errors(2)
        positive, negative, squares = (known.moments[:, :, part, 0] for part in range(3))
        above = ((1.0 + error) * positive)[:, :-1] - ((1.0 - error) * negative)[:, 1:] + known.same[0] + besides
        below = ((1.0 - error_of_square) * squares)[:, 1:] - besides_square + known.same[1]
        falling = above - value * np.sqrt(np.maximum(below, 0.0))
    is_usable = np.isfinite(bound) & (exponent < _MAX_EXPONENT)
    where = np.where(is_usable, a + position * apart, np.where(a > 0, np.sqrt(a * b), b / 2.0))
    return np.where(is_usable, np.minimum(bound, falling), falling), where


def excess_beyond(known: DistanceMoments, value: float) -> Floats:
    """Return the same for all eta above the last width."""
    error, besides = known.errors(1)
    above = (1.0 + error[:, -1]) * known.moments[:, -1, 0, 0] + known.same[0] + besides[:, 0]
    bound: Floats = above - value * np.sqrt(known.same[1])
    return bound


def _ends(known: DistanceMoments, shift: Floats, power: int, grown: Floats) -> _Ends:
    """Return the sum of the kernel's power at both ends of all intervals, about known.centre + shift."""
    error, besides = known.errors(power)
    centre = known.centre[:, None] + shift
    times = np.stack([np.ones_like(grown), grown**power])

    def both(numbers: Floats) -> Floats:
        return np.stack([numbers[:, :-1], numbers[:, 1:]])

    if power == 1:
        moments = known.moments[:, :, 0] + known.moments[:, :, 1]
        signed = known.moments[:, :, 0, :2] - known.moments[:, :, 1, :2]
    else:
        moments = known.moments[:, :, 2]
        signed = moments[..., :2]
    error = both(error)
    m0, m1, m2, m3, m4 = (both(moments[..., k]) for k in range(5))
    value, first = both(signed[..., 0]), both(signed[..., 1])
    # About the new centre; every error of a moment about the old one counts.
    fourth = m4 - 4.0 * shift * m3 + 6.0 * shift**2 * m2 - 4.0 * shift**3 * m1 + shift**4 * m0
    fourth = np.maximum(fourth, 0.0) + 8.0 * error * (m4 + shift**4 * m0)
    # Of the rounding of D: (|z| + r)^4 <= 1.01^3 z^4 + 101^3 r^4.
    rounded = (known.rounded + 4.0 * ROUNDING * np.abs(known.centre))[:, None]
    fourth = 1.031 * fourth + 1.031e6 * rounded**4 * m0
    # At eta = 0 by the inequality of Minkowski.
    weight = np.sqrt(np.sqrt(m0[0, :, 0]))
    mean = np.divide(m1[0, :, 0], m0[0, :, 0], out=np.zeros(len(weight)), where=m0[0, :, 0] > 0)
    spread = known.spread[:, power - 1] + np.abs(mean - shift[:, 0]) * weight
    fourth[0, :, 0] = spread**4
    m2[0, :, 0] = np.square((known.spread[:, power - 1] + np.abs(mean) * weight) * weight)
    first_error = error * (np.sqrt(m0 * m2) + np.abs(shift) * m0) + rounded * m0
    return _Ends(
        value=times * value,
        slope=times * -power * (first - shift * value),
        value_error=times * (error * m0 + besides),
        slope_error=times * power * (first_error + besides * np.abs(centre)),
        fourth=times * float(power) ** 4 * (fourth + besides * centre**4),
        same=known.same[power - 1],
        growth=power * centre,
    )


def _highest(product: _Ends, square: _Ends, apart: Floats, value: float) -> tuple[Floats, Floats]:
    """Return an upper bound of product - value * sqrt(square) in each interval, and its position from 0 to 1."""
    numerator, _, product_curve = _upper_cubic(product, apart, 1.0)
    denominator, slope, square_curve = _upper_cubic(square, apart, -1.0)
    excess = numerator - value * np.sqrt(np.maximum(denominator, 0.0))
    # Between two positions: the square may be less by half a step of its steepest slope, and the second derivative of
    # the excess bounds by how much it is above the higher of the two.
    least = np.minimum(denominator[..., :-1], denominator[..., 1:]) - slope / (2.0 * _N_POSITIONS)
    root = np.sqrt(least)
    curve = product_curve + abs(value) * (square_curve / (2.0 * root) + slope * slope / (4.0 * root * least))
    between = np.maximum(excess[..., :-1], excess[..., 1:]) + curve / (8.0 * _N_POSITIONS**2)
    bound = np.where((least > 0).all(axis=-1), between.max(axis=-1), np.inf)
    return bound, _POSITION[np.argmax(excess, axis=-1)]


def _upper_cubic(one: _Ends, apart: Floats, sign: float) -> tuple[Floats, Floats, Floats]:
    """Return the sum by the cubic through both ends, with its error added (sign 1) or taken off (-1), at all positions.

    And bounds of the slope and of the curvature in the position, between each two.
    """
    s = _POSITION
    (y0, y1), (d0, d1) = one.value[..., None], (one.slope * apart)[..., None]
    cubic = y0 + s * (d0 + s * (3.0 * (y1 - y0) - 2.0 * d0 - d1 + s * (2.0 * (y0 - y1) + d0 + d1)))
    remainder = (apart**4 / 24.0 * one.fourth.max(axis=0))[..., None]
    error = (one.value_error.max(axis=0) + apart * one.slope_error.max(axis=0) / 4.0)[..., None]
    growth = (one.growth * apart)[..., None]
    same = one.same * np.exp(growth * s)
    # The derivative of the cubic is a parabola within its control points, its second derivative is linear; those of
    # s^2 (1 - s)^2 are at most 0.2 and 2.
    slope = np.maximum(np.maximum(np.abs(d0), np.abs(d1)), np.abs(3.0 * (y1 - y0) - d0 - d1)) + 0.2 * remainder
    curve = np.maximum(np.abs(6.0 * (y1 - y0) - 4.0 * d0 - 2.0 * d1), np.abs(6.0 * (y0 - y1) + 2.0 * d0 + 4.0 * d1))
    steeper = np.maximum(same[..., :-1], same[..., 1:])
    return (
        cubic + same + sign * (error + remainder * np.square(s * (1.0 - s))),
        slope + np.abs(growth) * steeper,
        curve + 2.0 * remainder + growth * growth * steeper,
    )

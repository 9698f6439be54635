"""The optimum to the last digit, once it is known which rows and columns are at their limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Floats, Mask
from fewest.methods.margins.mkl.factorizations import Factored
from fewest.methods.margins.mkl.interior_point import InteriorPoint
from fewest.methods.margins.mkl.margin_program import MarginProgram, Relaxed, relaxed

#: Below this a gap is rounding.
_CLOSED = 1e-14
_MOST_CHANGES = 12


@dataclass(frozen=True)
class Pattern:
    """Which rows of one machine are at a limit of alpha, and which columns are taken, whole or in part.

    is_free, is_full : rows with alpha inside its limits, and at the cap
    is_whole, is_part : columns with p = 1, and with 0 < p < 1
    """

    is_free: Mask
    is_full: Mask
    is_whole: Mask
    is_part: Mask

    def is_same(self, other: Pattern) -> bool:
        return all(
            np.array_equal(mine, its) for mine, its in zip(vars(self).values(), vars(other).values(), strict=True)
        )


def pattern_of(point: InteriorPoint, caps: Floats) -> Pattern:
    """What an interior point is on its way to: of a number and its multiplier the smaller one goes to zero."""
    alpha, room = point.alpha[0] / caps, 1 - point.alpha[0] / caps
    is_none, is_full = alpha < point.below[0] / 2, room < point.above[0] / 2
    level = max(abs(point.level), float(np.finfo(float).tiny))
    is_out, is_whole = point.weighting < point.none / level, 1 - point.weighting < point.whole / level
    return Pattern(~is_none & ~is_full, is_full, is_whole, ~is_out & ~is_whole)


def settle(program: MarginProgram, size: int, pattern: Pattern, signs: Floats) -> tuple[Relaxed, Pattern] | None:
    """The optimum of one machine from a guess of its pattern, mended while it proves wrong; None where that fails.

    signs : those of the pulls at columns taken in part

    On a pattern all conditions are linear: the pulls at columns taken in part are all of one size q, whose signs are
    known, and their weights v = p u are what holds them there.
    """
    best: tuple[Relaxed, Pattern] | None = None
    for _ in range(_MOST_CHANGES):
        found = _solved(program, size, pattern, signs)
        if found is None:
            return best
        answer, following, signs = found
        if np.isfinite(answer.gap) and (best is None or answer.gap < best[0].gap):
            best = answer, pattern
        if following is None or answer.gap <= _CLOSED or following.is_same(pattern):
            return best
        pattern = following
    return best


def _solved(
    program: MarginProgram, size: int, pattern: Pattern, signs: Floats
) -> tuple[Relaxed, Pattern | None, Floats] | None:
    """The point at which the conditions of the pattern hold, and the pattern that it speaks for."""
    free, full = np.flatnonzero(pattern.is_free), np.flatnonzero(pattern.is_full)
    whole, part = np.flatnonzero(pattern.is_whole), np.flatnonzero(pattern.is_part)
    left = size - len(whole)
    if len(free) == 0 or left < 0 or (len(part) > 0 and left == 0):
        return None
    y, columns = program.signs[0], program.columns
    rows = columns[free]
    at_cap = (program.caps * y)[full]
    beta_fixed = at_cap @ columns[full]
    # In terms of beta = alpha y, so that the signs of the rows enter only here.
    right = y[free] - rows[:, whole] @ beta_fixed[whole]
    beside = np.column_stack([rows[:, part], np.ones(len(free))])
    held = np.append(signs[part], 0.0)
    try:
        n_whole = len(whole)
        factor = Factored(rows[:, whole], program.ridges[free], np.ones(n_whole), 0 < n_whole < len(free))
        moved = factor.solve(beside)
        matrix = beside.T @ moved
        if len(part):
            matrix += np.outer(held, held) / left
        inverse = _Inverse(matrix)
        fixed = np.append(beta_fixed[part], at_cap.sum())
        inside, found = np.zeros(len(free)), np.zeros(len(held))
        # The second time for what rounding has left.
        for _ in range(2):
            pulls = rows[:, whole].T @ inside
            missing = right - program.ridges[free] * inside - rows[:, whole] @ pulls - beside @ found
            off = fixed + beside.T @ inside - (held * (held @ found) / left if len(part) else 0.0)
            plain = factor.solve(missing[:, None])[:, 0]
            change = inverse @ (beside.T @ plain + off)
            inside, found = inside + plain - moved @ change, found + change
    except np.linalg.LinAlgError:
        return None
    beta = np.zeros(len(y))
    beta[free] = inside
    beta[full] = at_cap
    size_of_pulls = float(held @ found) / left if len(part) else 0.0
    return _read(program, size, pattern, beta * y, found[:-1], float(found[-1]), size_of_pulls)


class _Inverse:
    """The inverse of a symmetric matrix; where copies of columns leave many solutions it gives the shortest, which
    shares evenly between them."""

    def __init__(self, matrix: Floats) -> None:
        values, vectors = np.linalg.eigh(matrix)
        is_seen = values > len(values) * 1e-13 * values[-1]
        self.values, self.vectors = values[is_seen], vectors[:, is_seen]

    def __matmul__(self, right: Floats) -> Floats:
        found: Floats = self.vectors @ ((self.vectors.T @ right) / self.values)
        return found


def _read(
    program: MarginProgram, size: int, pattern: Pattern, alpha: Floats, held: Floats, offset: float, level: float
) -> tuple[Relaxed, Pattern | None, Floats]:
    inside = np.clip(alpha, 0.0, program.caps)
    part = np.flatnonzero(pattern.is_part)
    pulls = (alpha * program.signs[0]) @ program.columns
    signs = np.where(pulls < 0, -1.0, 1.0)
    shares = held / (signs[part] * level) if level > 0 else np.zeros(len(part))
    weighting = pattern.is_whole.astype(np.float64)
    weighting[part] = np.clip(shares, 0.0, 1.0)
    excess = weighting.sum() - size
    if excess > 0 and len(part):
        weighting[part] *= 1 - excess / weighting[part].sum()
    answer = relaxed(program, size, weighting, inside[None], np.array([offset]))
    weights = np.where(pattern.is_whole, pulls, 0.0)
    weights[part] = held
    wanted = (1 - program.signs[0] * (program.columns @ weights + offset)) / program.ridges
    is_full, is_free = wanted >= program.caps, (wanted > 0) & (wanted < program.caps)
    is_whole = pattern.is_whole & (np.abs(pulls) >= level)
    is_part = (pattern.is_whole & ~is_whole) | (~pattern.is_whole & ~pattern.is_part & (np.abs(pulls) > level))
    is_whole[part], is_part[part] = shares > 1, (shares >= 0) & (shares <= 1)
    following = _with_room(Pattern(is_free, is_full, is_whole, is_part), np.abs(pulls), size)
    return answer, following, signs


def _with_room(pattern: Pattern, pulls: Floats, size: int) -> Pattern:
    """A pattern with at most `size` columns taken whole, and as many at least taken at all: those with the largest
    pulls come first."""
    n_whole, n_taken = np.count_nonzero(pattern.is_whole), np.count_nonzero(pattern.is_whole | pattern.is_part)
    if size >= len(pulls) or (n_whole < size <= n_taken) or (n_whole == size == n_taken):
        return pattern
    order = np.argsort(-pulls, kind="stable")
    is_whole, is_part = pattern.is_whole.copy(), pattern.is_part.copy()
    if n_whole >= size:
        weakest = [column for column in order.tolist() if is_whole[column]][size - 1 :]
        is_whole[weakest], is_part[weakest] = False, True
    if np.count_nonzero(is_whole | is_part) <= size:
        outside = [column for column in order.tolist() if not (is_whole[column] or is_part[column])]
        is_part[outside[: size + 1 - np.count_nonzero(is_whole | is_part)]] = True
    return Pattern(pattern.is_free, pattern.is_full, is_whole, is_part)

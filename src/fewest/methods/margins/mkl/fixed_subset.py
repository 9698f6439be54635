"""Machines on a set of columns that is given: w of a set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import lapack

from fewest import _core
from fewest.arrays import Floats, Indices, Mask
from fewest.methods.margins.mkl.margin_program import MarginProgram, Relaxed, even_pull, relaxed

#: A gap within this share of the value is closed.
CLOSED = 1e-11
#: So few columns are solved for row by row; of more, larger steps pay.
_FEW_COLUMNS = 200
#: So often rows change pieces before that is given up, from a guess and from near the answer.
_MOST_CHANGES, _LAST_CHANGES = 25, 5
_MOST_STEPS = 80
#: After so many steps of the interior point method without progress one goes inward, to this share of where it is.
_IDLE, _INWARD = 3, 0.5
#: Steps of the interior point method end this share short of where the first number would be zero.
_SHORT_OF_THE_WALL = 0.995


def fitted(program: MarginProgram, start: tuple[Floats, Floats] | None = None) -> Relaxed:
    """The machines that use all columns of the program.

    start : alpha and offsets that may be near; where they are, few steps are needed
    """
    n_rows, n_columns = program.columns.shape
    short = program
    if n_columns > n_rows:
        # As many columns as rows say the same: machines see columns only by the products between rows.
        triangle = np.asarray(np.linalg.qr(program.columns.T, mode="r"))
        short = replace(program, columns=np.asfortranarray(triangle.T))
    everything = np.ones(n_columns)
    if short.n_columns <= _FEW_COLUMNS:
        found = relaxed(program, n_columns, everything, *_by_steps(short, start))
        if found.gap <= CLOSED:
            return found
    alpha, offsets = np.empty_like(program.signs), np.empty(len(program.signs))
    for k, signs in enumerate(program.signs):
        one = _OneMachine(replace(short, signs=signs[None]))
        is_free = np.ones(n_rows, dtype=bool)
        answer = one.by_pieces(is_free, ~is_free, 0.0, _MOST_CHANGES) or one.by_interior()
        alpha[k], offsets[k] = answer.alpha[0], answer.offsets[0]
    return relaxed(program, n_columns, everything, alpha, offsets)


def first_better_exchange(
    program: MarginProgram, subset: Indices, places: Indices, others: Indices,
    bounds: Floats, at: Relaxed, limit: float, n_tries: int,
) -> tuple[int, Floats, Floats] | None:  # fmt: skip
    """The first exchange of a column of the subset, by its place, for another after which w is below the limit: which
    it is, and alpha and the offsets after it.

    bounds : no less is w known to be after each
    at : the machines on the subset
    """
    alpha, offsets = at.alpha.copy(), at.offsets.copy()
    first = _core.first_better_exchange(
        program.columns.T, program.signs, program.caps, program.ridges, subset.astype(np.int64),
        places.astype(np.int64), others.astype(np.int64), bounds, limit, n_tries, alpha, offsets,
    )  # fmt: skip
    return (first, alpha, offsets) if first < len(others) else None


def _by_steps(program: MarginProgram, start: tuple[Floats, Floats] | None) -> tuple[Floats, Floats]:
    """alpha and offsets, row by row."""
    alpha, offsets = np.zeros(program.signs.shape), np.zeros(len(program.signs))
    if start is not None:
        alpha[:], offsets[:] = start
    columns, signs = np.ascontiguousarray(program.columns.T), np.ascontiguousarray(program.signs)
    _core.solve_margin_svms(columns, signs, program.caps, program.ridges, np.arange(program.n_columns), alpha, offsets)
    return alpha, offsets


class _OneMachine:
    def __init__(self, program: MarginProgram) -> None:
        self.program = program
        self.signs = program.signs[0]
        #: The columns, and one of ones for the offset.
        self.columns = np.column_stack([program.columns, np.ones(len(self.signs))])

    def by_pieces(self, is_free: Mask, is_full: Mask, offset: float, most_changes: int) -> Relaxed | None:
        """Newton's method on the loss, whose slope is piecewise linear: once the pieces are right, so is the answer.
        None where they do not come to rest.

        is_free, is_full : rows taken to be within the square and on the straight line
        offset : that of the machine, should no row be within the square, which would leave it open
        """
        program, signs, caps, ridges = self.program, self.signs, self.program.caps, self.program.ridges
        for _ in range(most_changes):
            if not is_free.any():
                return self._closed(np.where(is_full, caps, 0.0), offset)
            rows = self.columns[is_free]
            shared = rows / ridges[is_free][:, None]
            matrix = rows.T @ shared
            matrix[np.arange(program.n_columns), np.arange(program.n_columns)] += 1.0
            wanted = shared.T @ signs[is_free] + self.columns[is_full].T @ (caps * signs)[is_full]
            factor, info = lapack.dpotrf(matrix, lower=1)
            if info != 0:
                return None
            found = lapack.dpotrs(factor, wanted, lower=1)[0]
            # Once more for what rounding has left.
            found = found + lapack.dpotrs(factor, wanted - matrix @ found, lower=1)[0]
            inside = (1 - signs * (self.columns @ found)) / ridges
            was_full, was_free = is_full, is_free
            is_full, is_free = inside >= caps, (inside > 0) & (inside < caps)
            if np.array_equal(is_full, was_full) and np.array_equal(is_free, was_free):
                return self._closed(np.clip(inside, 0.0, caps), float(found[-1]))
        return None

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def by_interior(self) -> Relaxed:
        """The same by Mehrotra's interior point method, which always comes near, and then from the pieces it finds."""
        program, signs, caps, ridges = self.program, self.signs, self.program.caps, self.program.ridges
        alpha = even_pull(program, program.n_columns)[0]
        room = caps - alpha
        found = np.append(2 * ((alpha * signs) @ program.columns), 0.0)
        slope = 2 - 2 * ridges * alpha - signs * (self.columns @ found)
        below, above = np.maximum(-slope, 0.0) + 1.0, np.maximum(slope, 0.0) + 1.0
        best: Relaxed | None = None
        tolerance, least_products, n_idle = 1e-4, np.inf, 0
        for _ in range(_MOST_STEPS):
            beta = alpha * signs
            pulls = beta @ program.columns
            reached = float(2 * alpha.sum() - ridges @ np.square(alpha) - pulls @ pulls)
            found[:-1] = 2 * pulls
            left = 2 - 2 * ridges * alpha - signs * (self.columns @ found) + below - above
            products = alpha @ below + room @ above
            if products + np.abs(left) @ alpha <= tolerance * abs(reached):
                tolerance /= 100
                near = self._answer(alpha, found[-1] / 2)
                is_none, is_full = alpha / caps < below / 2, room / caps < above / 2
                closed = self.by_pieces(~is_none & ~is_full, is_full, found[-1] / 2, _LAST_CHANGES)
                if closed is not None:
                    return closed
                best = near if best is None or near.gap < best.gap else best
                if tolerance < CLOSED / 100:
                    break
            n_idle = 0 if products < 0.5 * least_products else n_idle + 1
            least_products = min(products, least_products)
            stiffness = 2 * ridges + below / alpha + above / room
            shared = self.columns / stiffness[:, None]
            matrix = self.columns.T @ shared
            matrix[np.arange(len(pulls)), np.arange(len(pulls))] += 0.5
            factor, info = lapack.dpotrf(matrix, lower=1)
            if info != 0:
                break
            mu = products / (2 * len(alpha))
            to_zero, to_cap = -alpha * below, -room * above
            for is_corrected in (False, True):
                right = signs * (left + to_zero / alpha - to_cap / room)
                wanted = shared.T @ right
                wanted[-1] += beta.sum()
                step = lapack.dpotrs(factor, wanted, lower=1)[0]
                change = signs * (right - self.columns @ step) / stiffness
                step_below, step_above = (to_zero - below * change) / alpha, (to_cap + above * change) / room
                ratios = (change / alpha, -change / room, step_below / below, step_above / above)
                least = min(float(ratio.min()) for ratio in ratios)
                length = 1.0 if least >= 0 else min(1.0, -1 / least)
                if not is_corrected:
                    there = (alpha + length * change) @ (below + length * step_below)
                    there += (room - length * change) @ (above + length * step_above)
                    target = mu * (there / products) ** 3
                    if n_idle >= _IDLE:
                        # Corrections may lead around in a circle; a step towards the middle leads out of it.
                        to_zero, to_cap = to_zero + _INWARD * mu, to_cap + _INWARD * mu
                        continue
                    to_zero = to_zero + target - change * step_below
                    to_cap = to_cap + target + change * step_above
            length = min(1.0, -_SHORT_OF_THE_WALL / least) if least < 0 else 1.0
            if not length > 1e-8:
                break
            alpha, room = alpha + length * change, room - length * change
            below, above = below + length * step_below, above + length * step_above
            found[-1] += length * step[-1]
        return best or self._answer(alpha, found[-1] / 2)

    def _answer(self, alpha: Floats, offset: float) -> Relaxed:
        n_columns = self.program.n_columns
        return relaxed(self.program, n_columns, np.ones(n_columns), alpha[None], np.array([offset]))

    def _closed(self, alpha: Floats, offset: float) -> Relaxed | None:
        """The answer, if it is one."""
        answer = self._answer(alpha, offset)
        return answer if answer.gap <= CLOSED else None

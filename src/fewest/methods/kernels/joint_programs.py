"""Many quadratic programs over one kernel at once, by conjugate gradients: a round is one matrix product for many."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from fewest._core import advance_jointly
from fewest.arrays import Floats, Mask
from fewest.threads import run_on_threads, thread_count

#: The length of what is left of the equations, as a share of that of the slacks. Values are exact to its square.
_TOLERANCE = 1e-8
#: More rounds are for equations that have too few digits for conjugate gradients.
_MAX_ROUNDS = 60
#: The programs that are solved on one thread, whatever the number of threads, so that no bit depends on it.
_PROGRAMS_AT_ONCE = 40
#: States of a program, as in joint_descent.hpp.
_BEGINS, _IS_SOLVED, _WANTS_REACH = 0, 2, 3


def solve_jointly(
    kernel: Floats, ridge: Floats, signs: Floats, gains: Floats, totals: Floats, x: Floats, offsets: Floats
) -> tuple[Mask, Floats]:
    """Solve the programs of `solve_quadratic_programs` together, from the x and offsets that they overwrite.

    Return which ones were solved, and their values 2 gain'x - x'Hx: the error of x changes these by its square.
    Those that were not are left as they were. Products have 24 bits, of differences from what is known with 53: where
    the errors that they leave are too large, that is computed anew.
    """
    # Directions add up to zero: a constant that is taken from the kernel changes no product, but leaves more digits.
    single = (kernel - kernel.mean()).astype(np.float32)
    largest = float(np.abs(single).max())
    is_solved, values = np.zeros(len(signs), dtype=bool), np.empty(len(signs))

    def solve(first: int) -> None:
        some = slice(first, first + _PROGRAMS_AT_ONCE)
        own = signs[some], gains[some], totals[some], x[some], offsets[some]
        is_solved[some], values[some] = _solve_together(kernel, single, largest, ridge, *own)

    run_on_threads([partial(solve, first) for first in range(0, len(signs), _PROGRAMS_AT_ONCE)])
    return is_solved, values


def _solve_together(
    kernel: Floats, single: NDArray[np.float32], largest: float, ridge: Floats, signs: Floats, gains: Floats,
    totals: Floats, x: Floats, offsets: Floats,
) -> tuple[Mask, Floats]:  # fmt: skip
    """Solve some of the programs, one matrix product a round.

    single, largest : the kernel about its mean, and the largest number in it
    """
    n_programs, n_rows = signs.shape
    z = signs * x
    free = (z != 0).astype(np.float64)
    is_new = ~free.any(axis=1)
    free[is_new] = 1.0
    z[is_new] = (totals[is_new] / n_rows)[:, None]
    reach = z @ kernel
    directions = np.zeros_like(z)
    rounded, products = np.empty(z.shape, dtype=np.float32), np.empty(z.shape, dtype=np.float32)
    numbers, states = np.zeros((3, n_programs)), np.full(n_programs, _BEGINS)
    for _ in range(_MAX_ROUNDS):
        n_going = advance_jointly(
            kernel, ridge, signs, gains, totals, largest, _TOLERANCE, z, reach, free, directions, numbers, states,
            products, rounded, thread_count(),
        )  # fmt: skip
        wanting = np.flatnonzero(states == _WANTS_REACH)
        if len(wanting):
            reach[wanting], states[wanting] = z[wanting] @ kernel, _BEGINS
        elif n_going == 0:
            break
        np.matmul(rounded[:n_going], single, out=products[:n_going])
    is_solved: Mask = states == _IS_SOLVED
    x[is_solved] = np.maximum(signs * z, 0.0)[is_solved]
    offsets[is_solved] = numbers[0, is_solved]
    # With all digits once more: the errors of reach would count once, not squared.
    np.multiply(signs, x, out=z)
    np.matmul(z, kernel, out=reach)
    reach += ridge * z
    values: Floats = 2 * np.einsum("pi,pi->p", gains, x) - np.einsum("pi,pi->p", z, reach)
    return is_solved, values

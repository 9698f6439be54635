"""Many quadratic programs over one kernel at once, by conjugate gradients: a round is one matrix product for many."""

from __future__ import annotations

from functools import partial
from typing import Any

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
#: Up to this number of programs, products are one by one: a matrix product would take more time.
_MAX_ONE_BY_ONE = 5
#: The rows that are rounded at a time.
_ROWS_AT_ONCE = 64
#: States of a program, as in joint_descent.hpp.
_BEGINS, _IS_SOLVED, _WANTS_REACH = 0, 2, 3


def solve_jointly(
    kernel: Floats, ridge: Floats, signs: Floats, gains: Floats, totals: Floats, x: Floats, offsets: Floats
) -> tuple[Mask, Floats, int]:
    """Solve the programs of `solve_quadratic_programs` together, from the x and offsets that they overwrite.

    Return which ones were solved, their values 2 gain'x - x'Hx, which the error of x changes by its square, and the
    number of rounds. Those that were not are left as they were. Products have 24 bits, of differences from what is
    known with 53: where the errors that they leave are too large, that is computed anew.
    """
    # Directions add up to zero: a constant that is taken from the kernel changes no product, but leaves more digits.
    single, middle = np.empty(kernel.shape, dtype=np.float32), kernel.mean()
    largest = 0.0
    for first in range(0, len(kernel), _ROWS_AT_ONCE):
        part = single[first : first + _ROWS_AT_ONCE]
        np.subtract(kernel[first : first + _ROWS_AT_ONCE], middle, out=part)
        largest = max(largest, float(part.max()), -float(part.min()))
    is_solved, values = np.zeros(len(signs), dtype=bool), np.empty(len(signs))
    n_rounds = np.zeros(len(signs), dtype=np.int64)

    def solve(first: int) -> None:
        some = slice(first, first + _PROGRAMS_AT_ONCE)
        own = signs[some], gains[some], totals[some], x[some], offsets[some]
        is_solved[some], values[some], n_rounds[some] = _solve_together(kernel, single, largest, ridge, *own)

    run_on_threads([partial(solve, first) for first in range(0, len(signs), _PROGRAMS_AT_ONCE)])
    return is_solved, values, int(n_rounds.max(initial=0))


def _solve_together(
    kernel: Floats, single: NDArray[np.float32], largest: float, ridge: Floats, signs: Floats, gains: Floats,
    totals: Floats, x: Floats, offsets: Floats,
) -> tuple[Mask, Floats, int]:  # fmt: skip
    """Solve some of the programs, one matrix product a round.

    single, largest : the kernel about its mean, and the largest number in it
    """
    n_programs, n_rows = signs.shape
    z = signs * x
    free = (z != 0).astype(np.float64)
    is_new = ~free.any(axis=1)
    free[is_new] = 1.0
    z[is_new] = (totals[is_new] / n_rows)[:, None]
    reach = np.empty_like(z)
    _multiply(z, kernel, reach)
    directions = np.zeros_like(z)
    rounded, products = np.empty(z.shape, dtype=np.float32), np.empty(z.shape, dtype=np.float32)
    numbers, states = np.zeros((3, n_programs)), np.full(n_programs, _BEGINS)
    n_rounds = 0
    while n_rounds < _MAX_ROUNDS:
        n_rounds += 1
        n_going = advance_jointly(
            kernel, ridge, signs, gains, totals, largest, _TOLERANCE, z, reach, free, directions, numbers, states,
            products, rounded, thread_count(),
        )  # fmt: skip
        wanting = np.flatnonzero(states == _WANTS_REACH)
        if len(wanting):
            anew = np.empty((len(wanting), n_rows))
            _multiply(z[wanting], kernel, anew)
            reach[wanting], states[wanting] = anew, _BEGINS
        elif n_going == 0:
            break
        _multiply(rounded[:n_going], single, products[:n_going])
    is_solved: Mask = states == _IS_SOLVED
    x[is_solved] = np.maximum(signs * z, 0.0)[is_solved]
    offsets[is_solved] = numbers[0, is_solved]
    # With all digits once more: the errors of reach would count once, not squared.
    np.multiply(signs, x, out=z)
    _multiply(z, kernel, reach)
    reach += ridge * z
    values: Floats = 2 * np.einsum("pi,pi->p", gains, x) - np.einsum("pi,pi->p", z, reach)
    return is_solved, values, n_rounds


def _multiply(lines: NDArray[Any], symmetric: NDArray[Any], products: NDArray[Any]) -> None:
    """Write the products of lines with a symmetric matrix."""
    if len(lines) > _MAX_ONE_BY_ONE:
        np.matmul(lines, symmetric, out=products)
        return
    for line, product in zip(lines, products, strict=True):
        np.dot(symmetric, line, out=product)

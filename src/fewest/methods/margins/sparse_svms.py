"""Linear SVMs with few non-zero weights: L1 penalty, concave penalty and repeated rescaling of columns.

All take columns of shape (n_columns, n_rows), signs of shape (n_svms, n_rows), 1 or -1, and row weights.
"""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.margins.hinge_program import HingeProgram
from fewest.methods.margins.linear_svms import TIE, solve_linear_svms, weight_norms

#: C grows by this factor, at most this number of times.
_GROWTH, _MAX_DOUBLINGS = 2.0, 10
#: A total hinge loss below this is none: a larger C changes nothing.
_NO_LOSS = 1e-7
#: Shares, or values of linear programs, that change by less than this have converged.
_CONVERGED = 1e-6
#: Every linear program lowers the value, so that this number is never reached.
_MAX_PROGRAMS = 100
_MAX_RESCALINGS = 30
#: A scaling factor below this share of the largest drops its column.
_MIN_FACTOR = 1e-10
#: Below this largest factor no column matters, and squares would underflow.
_ALL_ZERO = 1e-140


def l1_svm_path(columns: Floats, signs: Floats, row_weights: Floats, C: float) -> tuple[Floats, Floats]:
    """The norms of the weights of SVMs with an L1 penalty, and scores that also rank the columns of weight zero.

    C doubles until there is no loss, every column has entered, or C has grown a thousandfold. Columns that enter score
    below all that entered before.
    """
    programs = [HingeProgram(columns, own) for own in signs]
    penalties = np.ones(len(columns))
    first, scores = np.zeros(len(columns)), np.zeros(len(columns))
    for step in range(_MAX_DOUBLINGS + 1 if len(columns) else 0):
        found = [program.solve(C * _GROWTH**step * row_weights, penalties) for program in programs]
        norms = np.sqrt(sum(weights**2 for weights, _ in found))
        entered = np.flatnonzero((norms > 0) & (scores == 0))
        if step == 0:
            first, scores = norms, norms.copy()
        elif len(entered):
            _score_below(scores, entered, norms[entered])
        if scores.all() or sum(float(losses.sum()) for _, losses in found) <= _NO_LOSS:
            break
    return first, scores


def concave_svm_weights(
    columns: Floats, signs: Floats, row_weights: Floats, suppression: float, steepness: float
) -> Floats:
    """The norms of the weights of SVMs with a concave penalty, by successive linearization from w = 0 on."""
    squares = np.zeros(len(columns))
    for own in signs if len(columns) else ():
        of_class = [row_weights[own == sign].sum() for sign in (-1.0, 1.0)]
        costs = (1 - suppression) * row_weights / np.where(own > 0, of_class[1], of_class[0])
        program = HingeProgram(columns, own)
        weights = np.zeros(len(columns))
        loss = float(costs.sum())  # at w = 0 and b = 0 every row has a hinge loss of one
        for _ in range(_MAX_PROGRAMS):
            penalties = suppression * steepness * np.exp(-steepness * weights)
            found, losses = program.solve(costs, penalties)
            last_weights, last_loss = weights, loss
            weights, loss = np.abs(found), float(costs @ losses)
            if last_loss - loss + float(penalties @ (last_weights - weights)) < _CONVERGED:
                break
        squares += weights**2
    return np.sqrt(squares)


def rescaled_svm_shares(columns: Floats, signs: Floats, costs: Floats) -> tuple[Floats, Floats]:
    """The shares of columns that are repeatedly multiplied by their SVM weights, and scores that rank all columns.

    A column whose factor falls below 1e-10 of the largest is dropped, with share 0; it scores below all columns that
    are dropped later.
    """
    left = np.arange(len(columns))
    factors = np.ones(len(left))
    shares = factors / max(len(left), 1)
    dropped: list[tuple[Indices, Floats]] = []
    for _ in range(_MAX_RESCALINGS if len(left) else 0):
        svms = solve_linear_svms(columns[left] * factors[:, None], costs, signs)
        factors = factors * weight_norms(svms, len(left))
        largest = float(factors.max())
        if largest < _ALL_ZERO:
            break
        last_shares, shares = shares, factors / factors.sum()
        change = float(np.abs(shares - last_shares).max())
        stays = factors >= _MIN_FACTOR * largest
        if not stays.all():
            dropped.append((left[~stays], shares[~stays]))
            left, factors, shares = left[stays], factors[stays], shares[stays]
        if change < _CONVERGED:
            break
    final = np.zeros(len(columns))
    final[left] = shares
    scores = final.copy()
    for out, last in reversed(dropped):
        # A column that never had a weight scores zero, like a constant one.
        _score_below(scores, out[last > 0], last[last > 0])
    return final, scores


def _score_below(scores: Floats, columns: Indices, weights: Floats) -> None:
    """Set positive scores of these columns below all positive scores, in the order of their weights."""
    least = min(scores[scores > 0].min(initial=np.inf), 1.0)
    _, ranks = np.unique(np.round(weights / max(weights.max(initial=0.0), TIE), 12), return_inverse=True)
    scores[columns] = least * (ranks + 1) / (len(weights) + 1)

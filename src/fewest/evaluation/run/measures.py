"""How wrong predictions are, and how well a ranking tells true columns from probes.

Predictions are given as codes of classes, 0 to n_classes - 1. A row of weight 2 counts as the row twice. Sums of
weights are rounded once, so that the order of rows changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.evaluation.design.given_numbers import check_same_length, finite_numbers, whole_numbers, yes_or_no
from fewest.evaluation.testing.ranks import TIE, tie_groups
from fewest.parameters import check_count


@dataclass(frozen=True)
class RocCurve:
    """How true columns and probes come in as one goes down a ranking.

    auc : chance that a true column stands above a probe, both drawn at random; a tie counts half
    probe_share, true_share : from 0 to 1, what has come in after each distinct score; columns that tie come in
        together, so that the curve is straight there
    """

    auc: float
    probe_share: Floats = field(compare=False, repr=False)
    true_share: Floats = field(compare=False, repr=False)

    def height(self, probe_share: Floats, side: str = "right") -> Floats:
        """The share of true columns at shares of probes: where the curve rises, its top ("right") or foot ("left")."""
        # The last point at or before the place, or the last before it: the curve is straight from there to the next.
        last = len(self.probe_share) - 1
        start = np.searchsorted(self.probe_share, probe_share, side="right" if side == "right" else "left") - 1
        start = np.clip(start, 0, last)
        end = np.minimum(start + 1, last)
        way = self.probe_share[end] - self.probe_share[start]
        gone = np.divide(probe_share - self.probe_share[start], way, out=np.zeros_like(way), where=way > 0)
        return self.true_share[start] + gone * (self.true_share[end] - self.true_share[start])


@dataclass(frozen=True)
class OnTop:
    """In what share of resamples true columns stand among the first n_top.

    one : at least one of them
    all : all of them
    each : every true column by itself
    """

    one: float
    all: float
    each: dict[int, float]
    n_top: int
    n_resamples: int

    def sentence(self) -> str:
        """What was found, in plain words."""
        return (
            f"among the first {self.n_top}: at least one true column in {100 * self.one:.0f} % of "
            f"{self.n_resamples} resamples, all {len(self.each)} in {100 * self.all:.0f} %"
        )


def confusion(truth: ArrayLike, predicted: ArrayLike, n_classes: int, weights: ArrayLike | None = None) -> Floats:
    """Weight of the rows of each true class (down) that were taken for each class (across)."""
    check_count("n_classes", n_classes, 1)
    true_codes, codes = whole_numbers("truth", truth, n_classes), whole_numbers("predicted", predicted, n_classes)
    check_same_length(truth=len(true_codes), predicted=len(codes))
    if len(codes) == 0:
        raise InvalidInput("There are no rows to judge.")
    cells = true_codes * n_classes + codes
    if weights is None:
        return np.bincount(cells, minlength=n_classes**2).reshape(n_classes, n_classes).astype(np.float64)
    given = finite_numbers("weights", weights)
    check_same_length(truth=len(codes), weights=len(given))
    if np.any(given < 0) or not np.any(given > 0):
        raise InvalidInput("weights must not be negative, and not all of them 0.")
    table = np.zeros(n_classes**2)
    order = np.argsort(cells, kind="stable")
    found, starts = np.unique(cells[order], return_index=True)
    for cell, part in zip(found, np.split(given[order], starts[1:]), strict=True):
        table[cell] = math.fsum(part)
    return table.reshape(n_classes, n_classes)


def error(truth: ArrayLike, predicted: ArrayLike, n_classes: int, weights: ArrayLike | None = None) -> float:
    """Share of rows whose class is wrong."""
    table = confusion(truth, predicted, n_classes, weights)
    return math.fsum(table[~np.eye(n_classes, dtype=bool)]) / math.fsum(table.ravel())


def balanced_error(truth: ArrayLike, predicted: ArrayLike, n_classes: int, weights: ArrayLike | None = None) -> float:
    """Mean over classes of the share of their rows that is wrong; classes without a row do not count."""
    table = confusion(truth, predicted, n_classes, weights)
    wrong = [math.fsum(np.delete(row, code)) / size for code, row in enumerate(table) if (size := math.fsum(row)) > 0]
    return math.fsum(wrong) / len(wrong)


def macro_f1(truth: ArrayLike, predicted: ArrayLike, n_classes: int, weights: ArrayLike | None = None) -> float:
    """Mean over classes of 2 hits / (rows of the class + rows taken for it); classes with neither do not count."""
    table = confusion(truth, predicted, n_classes, weights)
    both = [math.fsum(table[code]) + math.fsum(table[:, code]) for code in range(n_classes)]
    scores = [2 * table[code, code] / size for code, size in enumerate(both) if size > 0]
    return math.fsum(scores) / len(scores)


def micro_f1(truth: ArrayLike, predicted: ArrayLike, n_classes: int, weights: ArrayLike | None = None) -> float:
    """F1 of hits, rows and predictions summed over all classes: with one class a row, 1 less the error."""
    table = confusion(truth, predicted, n_classes, weights)
    return math.fsum(np.diagonal(table)) / math.fsum(table.ravel())


def roc_curve(scores: ArrayLike, is_true: ArrayLike) -> RocCurve:
    """How well scores, higher being better, tell true columns from probes.

    Parameters
    ----------
    scores : array-like, one a column
        May be infinite, not NaN. For columns ranked 1, 2, ... (ranking_) give their negative; for columns in the
        order taken see scores_of_order.
    is_true : array-like of bool, one a column
        At least one column is true and at least one a probe.
    """
    try:
        given = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("scores must be an array of numbers.") from None
    truth = yes_or_no("is_true", is_true)
    if given.ndim != 1:
        raise InvalidInput(f"scores must have 1 dimension, got the shape {given.shape} instead.")
    check_same_length(scores=len(given), is_true=len(truth))
    if np.isnan(given).any():
        raise InvalidInput(
            f"scores holds NaN (at {np.flatnonzero(np.isnan(given))[0]}). Where a search scores only what it takes, "
            "give the negative of ranking_, or scores_of_order."
        )
    n_true = int(np.count_nonzero(truth))
    n_probes = len(truth) - n_true
    if n_true == 0 or n_probes == 0:
        raise InvalidInput(f"A true column and a probe are needed at least, got {n_true} and {n_probes}.")
    groups = tie_groups(-given, within=0.0)
    true_in, probes_in = np.bincount(groups, weights=truth), np.bincount(groups, weights=~truth)
    true_so_far, probes_so_far = np.cumsum(true_in), np.cumsum(probes_in)
    # Whole and half numbers: the sum is exact.
    won = float(np.sum(true_in * (n_probes - probes_so_far + probes_in / 2)))
    return RocCurve(
        auc=won / (n_true * n_probes),
        probe_share=np.concatenate([[0.0], probes_so_far / n_probes]),
        true_share=np.concatenate([[0.0], true_so_far / n_true]),
    )


def mean_roc_curve(curves: Sequence[RocCurve], most: int = 60) -> list[tuple[float, float]]:
    """The mean of curves at every share of probes, as (share of probes, share of true columns) from (0, 0) to (1, 1).

    Where it has more corners than `most`, points are spread evenly over its length, which is 2 along both axes.
    """
    places = np.unique(np.concatenate([curve.probe_share for curve in curves]))
    foot, top = (np.mean([curve.height(places, side) for curve in curves], axis=0) for side in ("left", "right"))
    x, y = np.repeat(places, 2), np.column_stack([foot, top]).ravel()
    moves = np.append(np.diff(x) + np.diff(y) > 0, True)
    x, y = x[moves], y[moves]
    right, up = np.diff(x), np.diff(y)
    turns = np.abs(right[:-1] * up[1:] - right[1:] * up[:-1]) > TIE
    corners = np.concatenate([[True], turns, [True]])
    x, y = x[corners], y[corners]
    if len(x) > most:
        reached = np.linspace(0.0, 2.0, most)
        x, y = np.interp(reached, x + y, x), np.interp(reached, x + y, y)
    return [(float(a), float(b)) for a, b in zip(x, y, strict=True)]


def scores_of_order(order: ArrayLike, n_columns: int) -> Floats:
    """Scores for columns in the order taken: the first has the highest, and those not taken tie at the bottom, 0."""
    taken = whole_numbers("order", order, n_columns)
    _check_once("order", taken)
    scores = np.zeros(n_columns)
    scores[taken] = np.arange(len(taken), 0, -1)
    return scores


def on_top(orders: Sequence[ArrayLike], true_columns: ArrayLike, n_columns: int, n_top: int | None = None) -> OnTop:
    """In what share of resamples one, and all, of the true columns stand on top.

    Parameters
    ----------
    orders : one array-like of column numbers a resample, best first
        A shorter one than n_top is all that was chosen.
    true_columns : array-like of column numbers
    n_columns : int
        How many columns there were.
    n_top : int, default=None
        How many count as the top; None: as many as there are true columns.
    """
    true = whole_numbers("true_columns", true_columns, n_columns)
    _check_once("true_columns", true)
    n_top = len(true) if n_top is None else n_top
    if len(orders) == 0 or len(true) == 0 or n_top < 1:
        raise InvalidInput("A resample, a true column and a place on top are needed at least.")
    found = np.zeros((len(orders), len(true)), dtype=bool)
    for resample, order in enumerate(orders):
        name = f"The order of resample {resample}"
        columns = whole_numbers(name, order, n_columns)
        _check_once(name, columns)
        found[resample] = np.isin(true, columns[:n_top])
    return OnTop(
        one=np.count_nonzero(found.any(axis=1)) / len(orders),
        all=np.count_nonzero(found.all(axis=1)) / len(orders),
        each={int(column): float(share) for column, share in zip(true, found.mean(axis=0), strict=True)},
        n_top=n_top,
        n_resamples=len(orders),
    )


def _check_once(name: str, columns: Indices) -> None:
    if len(np.unique(columns)) < len(columns):
        raise InvalidInput(f"{name} holds a column twice. Give each column once.")

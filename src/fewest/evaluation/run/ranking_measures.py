"""How well a ranking separates the columns known to be relevant (true columns) from the others (probes)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from fewest.arrays import Floats
from fewest.errors import InvalidInput
from fewest.evaluation.design.checked_arrays import boolean_array, check_lengths, index_array

#: Turns of a curve below this are rounding.
_STRAIGHT = 1e-12


@dataclass(frozen=True)
class RocCurve:
    """The ROC curve of a ranking.

    auc : probability that a true column ranks above a probe, both drawn at random; a tie counts half
    probe_share, true_share : from 0 to 1, the shares of probes and of true columns at or above each distinct score
    """

    auc: float
    probe_share: Floats = field(compare=False, repr=False)
    true_share: Floats = field(compare=False, repr=False)

    def height(self, probe_share: Floats, side: str = "right") -> Floats:
        """The share of true columns at shares of probes: where the curve rises, its top ("right") or foot ("left")."""
        last = len(self.probe_share) - 1
        # The last point at or before the share, or the last before it; the curve is straight from there to the next.
        start = np.searchsorted(self.probe_share, probe_share, side="right" if side == "right" else "left") - 1
        start = np.clip(start, 0, last)
        end = np.minimum(start + 1, last)
        width = self.probe_share[end] - self.probe_share[start]
        part = np.divide(probe_share - self.probe_share[start], width, out=np.zeros_like(width), where=width > 0)
        return self.true_share[start] + part * (self.true_share[end] - self.true_share[start])


@dataclass(frozen=True)
class TopShares:
    """The shares of resamples in which one, and in which all, of the true columns are among the first."""

    one: float
    all: float


def roc_curve(scores: ArrayLike, is_true: ArrayLike) -> RocCurve:
    """Compute the ROC curve of scores, higher being better.

    Parameters
    ----------
    scores : array-like, one a column
        May be infinite, not NaN. For columns ranked 1, 2, ... (ranking_) pass their negative; for columns in the
        order taken see scores_of_order.
    is_true : array-like of bool, one a column
        At least one column is true and at least one a probe.
    """
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("scores must be an array of numbers.") from None
    truth = boolean_array("is_true", is_true)
    if values.ndim != 1:
        raise InvalidInput(f"scores must have 1 dimension, got the shape {values.shape} instead.")
    check_lengths(scores=len(values), is_true=len(truth))
    if np.isnan(values).any():
        raise InvalidInput(
            f"scores holds NaN (at {np.flatnonzero(np.isnan(values))[0]}). Where a search scores only what it takes, "
            "give the negative of ranking_, or scores_of_order."
        )
    n_true = int(np.count_nonzero(truth))
    n_probes = len(truth) - n_true
    if n_true == 0 or n_probes == 0:
        raise InvalidInput(f"A true column and a probe are needed at least, got {n_true} and {n_probes}.")
    from sklearn.metrics import roc_curve as curve_of

    # Ranks are halves of whole numbers, so that Mann and Whitney's sum is exact, and infinite scores have ranks too.
    ranks = rankdata(values)
    probe_share, true_share, _ = curve_of(truth, ranks, drop_intermediate=False)
    n_won = float(ranks[truth].sum()) - n_true * (n_true + 1) / 2
    return RocCurve(n_won / (n_true * n_probes), probe_share, true_share)


def mean_roc_curve(curves: Sequence[RocCurve], max_points: int = 60) -> list[tuple[float, float]]:
    """The mean of curves at every share of probes, as (share of probes, share of true columns) from (0, 0) to (1, 1).

    Where it has more than max_points corners, points are spread evenly over its length, which is 2 along both axes.
    """
    shares = np.unique(np.concatenate([curve.probe_share for curve in curves]))
    foot, top = (np.mean([curve.height(shares, side) for curve in curves], axis=0) for side in ("left", "right"))
    x, y = np.repeat(shares, 2), np.column_stack([foot, top]).ravel()
    moves = np.append(np.diff(x) + np.diff(y) > 0, True)
    x, y = x[moves], y[moves]
    right, up = np.diff(x), np.diff(y)
    turns = np.abs(right[:-1] * up[1:] - right[1:] * up[:-1]) > _STRAIGHT
    corners = np.concatenate([[True], turns, [True]])
    x, y = x[corners], y[corners]
    if len(x) > max_points:
        length = np.linspace(0.0, 2.0, max_points)
        x, y = np.interp(length, x + y, x), np.interp(length, x + y, y)
    return [(float(a), float(b)) for a, b in zip(x, y, strict=True)]


def scores_of_order(order: ArrayLike, n_columns: int) -> Floats:
    """Scores for columns in the order taken: the first has the highest, and those not taken tie at 0."""
    taken = index_array("order", order, n_columns)
    scores = np.zeros(n_columns)
    scores[taken] = np.arange(len(taken), 0, -1)
    return scores


def top_shares(orders: Sequence[ArrayLike], true_columns: ArrayLike, n_columns: int) -> TopShares:
    """In what shares of resamples one, and all, of the n true columns are among the first n.

    Parameters
    ----------
    orders : one array-like of column indices a resample, best first
        A shorter one than n is all that was chosen.
    true_columns : array-like of column indices
        The columns known to be relevant.
    n_columns : int
        The number of columns.
    """
    true = index_array("true_columns", true_columns, n_columns)
    if len(orders) == 0 or len(true) == 0:
        raise InvalidInput("At least one resample and one true column are needed.")
    named = ((f"The order of resample {number}", order) for number, order in enumerate(orders))
    is_top = np.array([np.isin(true, index_array(name, order, n_columns)[: len(true)]) for name, order in named])
    one, all_of_them = (np.count_nonzero(found) / len(orders) for found in (is_top.any(axis=1), is_top.all(axis=1)))
    return TopShares(one, all_of_them)

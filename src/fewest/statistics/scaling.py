"""Where a column's zero lies and how long its unit is, from the moments of one read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewest.methods.scatter.pair_moments import PairMoments
from fewest.parameters import check_choice
from fewest.statistics.class_moments import ClassMoments

Floats = NDArray[np.float64]

SCALES = ("std", "range", "symmetric", None)


def check_scale(scale: str | None) -> None:
    check_choice("scale", scale, SCALES)


def origin_and_unit(moments: ClassMoments, scale: str | None) -> tuple[Floats, Floats]:
    """The scaled column is (x - origin) / unit; the unit is 0 where the column is constant or was never observed.

    "std" : mean and standard deviation
    "range", "symmetric" : the range becomes [0, 1], [-1, 1]
    None : the data as they are
    """
    varies = moments.highest > moments.lowest
    lowest, highest = np.where(varies, moments.lowest, 0.0), np.where(varies, moments.highest, 0.0)
    if scale is None:
        return np.zeros(len(varies)), varies.astype(np.float64)
    if scale == "std":
        between, within, total_weight = moments.between_and_within()
        mean = np.zeros(len(varies))
        np.divide((moments.weight * moments.mean).sum(axis=0), total_weight, out=mean, where=varies)
        return mean, np.where(varies, np.sqrt(between + within), 0.0)
    half = highest / 2 - lowest / 2
    return (lowest, 2 * half) if scale == "range" else (lowest + half, half)


def shift_and_unit(statistic: PairMoments, scale: str | None) -> tuple[Floats, Floats]:
    """The scaled column is (x - pivot + shift) / unit.

    Far from zero the origin as one number has lost digits that this difference still has.
    """
    moments, pivot = statistic.moments, statistic.pivot
    unit = origin_and_unit(moments, scale)[1]
    if scale is None:
        shift = pivot
    elif scale == "std":
        shift = -statistic.mean_about_pivot
    else:
        from_lowest = pivot - np.where(unit > 0, moments.lowest, pivot)
        from_highest = pivot - np.where(unit > 0, moments.highest, pivot)
        shift = from_lowest if scale == "range" else (from_lowest + from_highest) / 2
    return np.where(unit > 0, shift, 0.0), unit


def origin_of(moments: ClassMoments, scale: str | None) -> Floats:
    """Where the zero of each scaled column lies."""
    return origin_and_unit(moments, scale)[0]

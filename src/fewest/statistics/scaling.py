"""The origin and the unit of each scaled column, from the moments of one read."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats
from fewest.parameters import check_choice
from fewest.statistics.class_moments import ClassMoments

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


def origin_of(moments: ClassMoments, scale: str | None) -> Floats:
    """The origin of each scaled column."""
    return origin_and_unit(moments, scale)[0]

"""Nogueira's stability: how much the selected columns depend on the training rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from fewest.arrays import Floats
from fewest.errors import InvalidInput
from fewest.evaluation.design.checked_arrays import check_share, index_array
from fewest.parameters import check_count


@dataclass(frozen=True)
class Stability:
    """The stability of the columns chosen in several resamples.

    index : 1 if they are always the same, 0 on average if each resample draws as many at random, never below
        -1/(M - 1). None where it is not defined: one resample; no column ever chosen; all columns always chosen
    variance : the variance of the index
    lower, upper : interval at confidence, cut at 1, the largest possible
    mean_size : the mean number of columns chosen
    frequencies : for every column, the share of resamples that chose it
    """

    index: float | None
    variance: float | None
    lower: float | None
    upper: float | None
    confidence: float
    n_resamples: int
    n_columns: int
    mean_size: float
    frequencies: Floats = field(compare=False, repr=False)

    def sentence(self) -> str:
        """Describe the result."""
        if self.index is None or self.lower is None or self.upper is None:
            why_empty = "no column was ever chosen" if self.mean_size == 0 else "all columns were always chosen"
            return f"stability is not defined: {'there is one resample' if self.n_resamples == 1 else why_empty}"
        return (
            f"stability {self.index:.2f} ({100 * self.confidence:g} % interval {self.lower:.2f} to {self.upper:.2f}) "
            f"over {self.n_resamples} resamples; 1 is always the same columns, 0 is chance"
        )


def stability(chosen: Iterable[ArrayLike], n_columns: int, confidence: float = 0.95) -> Stability:
    """Nogueira's stability of the columns chosen in M resamples.

    1 - [M/(M-1) mean_f p_f (1 - p_f)] / [k/d (1 - k/d)], with p_f the share of resamples that chose column f of d,
    and k the mean number chosen. Where all choices have the same size it is the mean of Kuncheva's index over
    all pairs. Its variance takes resamples for independent; the interval is normal.

    Parameters
    ----------
    chosen : one array-like of column indices a resample
        In any order, each column once; it may be empty.
    n_columns : int
        The number of columns to choose from.
    confidence : float, default=0.95
        The confidence of the interval.

    References
    ----------
    Nogueira, Sechidis and Brown, 2018, On the stability of feature selection algorithms, JMLR 18.
    """
    check_share("confidence", confidence)
    check_count("n_columns", n_columns, 1)
    choices = [index_array(f"The choice of resample {n}", columns, n_columns) for n, columns in enumerate(chosen)]
    if not choices:
        raise InvalidInput("There are no resamples. Give the columns chosen in each of at least two.")
    n_resamples = len(choices)
    counts = np.bincount(np.concatenate(choices), minlength=n_columns)
    frequencies = counts / n_resamples
    sizes = np.array([len(columns) for columns in choices])
    total = int(sizes.sum())
    mean_size = total / n_resamples
    if n_resamples == 1 or total == 0 or total == n_resamples * n_columns:
        return Stability(None, None, None, None, confidence, n_resamples, n_columns, mean_size, frequencies)
    share = mean_size / n_columns
    by_chance = share * (1 - share)
    # Counts are whole numbers, so that choices that are all the same have a variance of exactly 0.
    disagreement = int(np.sum(counts * (n_resamples - counts))) / (n_resamples * (n_resamples - 1) * n_columns)
    index = 1 - disagreement / by_chance
    agreement = np.array([counts[columns].sum() for columns in choices]) / (n_resamples * n_columns)
    shares = sizes / n_columns
    # The part of each resample in the index, the fraction's numerator and denominator both moving with it.
    parts = (agreement - shares * share + index / 2 * (2 * shares * share - shares - share + 1)) / by_chance
    variance = 4 / n_resamples**2 * math.fsum(np.square(parts - math.fsum(parts) / n_resamples))
    from scipy.special import ndtri

    margin = float(ndtri((1 + confidence) / 2)) * math.sqrt(variance)
    return Stability(
        index, variance, index - margin, min(index + margin, 1.0), confidence, n_resamples, n_columns, mean_size,
        frequencies,
    )  # fmt: skip

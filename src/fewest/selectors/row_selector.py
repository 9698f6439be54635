"""Selectors that keep rows: all of them, or a sample."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Codes, Floats
from fewest.data.source import Source
from fewest.errors import FewestError
from fewest.protocols import AnyCriterion
from fewest.selection import Selection
from fewest.selectors.collection import CollectedRows
from fewest.selectors.selector import Selector
from fewest.statistics.sampled_source import SampledSource, sample_rows
from fewest.statistics.splits import Folded, GivenFolds

#: A sample is cut in half this often.
_CUTS = 2


@dataclass(eq=False, repr=False)
class RowSelector(Selector):
    """Base of selectors that keep rows.

    Parameters
    ----------
    sample : int or None, default=None
        The number of rows to select on, where all would take too much memory or time; None for all. They are drawn of
        every class in proportion, two of each at least, by their own values and random_state, in one read.
    """

    _: KW_ONLY
    sample: int | None = None

    def _check_partial_fit(self) -> None:
        super()._check_partial_fit()
        if self.sample is not None:
            raise AttributeError(f"sample={self.sample} needs all rows at once. Use sample=None, or fit.")

    def _sampled(self, source: Source) -> Source:
        """Return a sample of the rows where one is asked for."""
        return source if self.sample is None else sample_rows(source, self.sample, self.random_state or 0)


@dataclass(eq=False, repr=False)
class ScoredRowSelector(RowSelector):
    """Base of selectors that keep rows and score each column, where the error of a sample can be estimated.

    Attributes
    ----------
    sampling_error_ : ndarray of float, shape (n_features_in_,)
        The standard error of each score that is due to the sample of rows: 0 without a sample, NaN where it is not
        known.

    Notes
    -----
    The sample is cut in halves. If the variance of a score falls as one over the number of rows, that of the whole
    sample is the mean of (score of one half - score of the other)^2 / 4.
    """

    _column_attributes: ClassVar[tuple[str, ...]] = (*RowSelector._column_attributes, "sampling_error_")

    def _store_sampling_error(
        self, selection: Selection, criterion: AnyCriterion, collected: CollectedRows | None
    ) -> tuple[str, ...]:
        self.sampling_error_: Floats = np.zeros(self._space.n_units)
        if self.sample is None or collected is None or collected.sample is None:
            return ()
        self.sampling_error_ = self._error_by_halves(criterion, collected.readable, collected.sample)
        errors = self.sampling_error_[list(selection.indices)]
        known = errors[np.isfinite(errors)]
        if not known.any():
            return ()
        error = float(np.sqrt(np.mean(np.square(known))))
        taken = "the scores of the features taken"
        return (f"{taken} have a standard error of about {error:.2g} that is due to the sample",)

    def _error_by_halves(self, criterion: AnyCriterion, readable: Source, sample: SampledSource) -> Floats:
        """Return the standard error of each score; NaN where a half has none."""
        squares = np.full((_CUTS, self._space.n_units), np.nan)
        for cut in range(_CUTS):
            halves = readable.collect(Folded(criterion.statistic(), GivenFolds(_halves(sample, cut), 2)))
            # A half may lack what the whole has, such as two rows of a class.
            with suppress(FewestError):
                first, second = (self._bind(criterion, halves.without(half)).score_features() for half in range(2))
                squares[cut] = np.square(first - second) / 4
        return np.asarray(np.sqrt(squares.mean(axis=0) * (1 - sample.share)))


def _halves(source: SampledSource, cut: int) -> Codes:
    """The half of each row, of every class as many."""
    codes = np.concatenate([block.codes for block in source.blocks()])
    # The rows come in an order that their contents decide, and so do the halves.
    order = np.random.default_rng(cut).permutation(len(codes))
    halves = np.empty(len(codes), dtype=np.int32)
    for code in np.unique(codes):
        rows = order[codes[order] == code]
        halves[rows] = np.arange(len(rows)) % 2
    return halves

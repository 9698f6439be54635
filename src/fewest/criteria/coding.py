"""Numbers become states: each column is cut, or taken as it is, by what was learned from the training rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._core import encode_columns, few_distinct
from fewest.errors import InvalidInput, InvalidParameter, OverflowingColumn
from fewest.statistics import ClassMoments, Rows
from fewest.threads import thread_count

Floats = NDArray[np.float64]

DISCRETIZE = ("auto", None, "mean", "sigma", "width", "frequency")
MISSING = ("state", "pairwise")

#: Whole numbers with at most so many values are states as they are, under "auto".
_FEW_VALUES = 10
#: More states than this are no states.
_MOST_STATES = 65_000


@dataclass(frozen=True)
class Coding:
    """How columns become states.

    discretize : "auto": text, categories, booleans and whole numbers of at most 10 values are states as they are, the
        rest is cut as by "sigma"; None: every column as it is; "mean": above the mean or not; "sigma": below, within or
        above mean - factor * sd to mean + factor * sd, strictly (sd with n - 1); "width", "frequency": n_bins of equal
        width, or of about as many rows each. Text and categories are always states as they are.
    missing : "state": a missing value is a state of its own; "pairwise": a pair is counted over the rows where both are
        observed
    """

    discretize: str | None = "auto"
    n_bins: int = 5
    factor: float = 1.0
    missing: str = "state"

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("discretize", self.discretize, DISCRETIZE),
            ("missing", self.missing, MISSING),
        ):
            if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
                raise InvalidParameter(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r} instead.")
        if not isinstance(self.n_bins, Integral) or isinstance(self.n_bins, bool) or not 2 <= self.n_bins <= 1000:
            raise InvalidParameter(f"n_bins must be a whole number from 2 to 1000, got {self.n_bins!r} instead.")
        is_number = isinstance(self.factor, Real) and not isinstance(self.factor, bool)
        if not (is_number and 0 <= float(self.factor) < np.inf):
            raise InvalidParameter(f"factor must be a finite number of at least 0, got {self.factor!r} instead.")

    def encode(self, rows: Rows) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int32]]:
        """Codes, columns by rows, and how many states each column has; the largest code of the type is missing."""
        pieces = rows.pieces
        cuts, n_cuts = self._cuts(rows, pieces)
        # One code for what is missing, and one more where that is a state.
        dtype = np.uint8 if n_cuts.max(initial=0) < 253 else np.uint16
        codes = np.empty((rows.n_features, rows.n_rows), dtype=dtype)
        end = 0
        for piece in pieces:
            encode_columns(piece, cuts, n_cuts, codes[:, end : (end := end + len(piece))], thread_count())
        n_states = n_cuts + 1
        if self.missing == "state":
            self._give_missing_a_state(codes, n_states, rows.moments)
        return codes, n_states

    def _give_missing_a_state(
        self, codes: NDArray[np.unsignedinteger], n_states: NDArray[np.int32], moments: ClassMoments
    ) -> None:
        missing = np.iinfo(codes.dtype).max
        for column in np.flatnonzero(moments.missing > 0):
            codes[column][codes[column] == missing] = n_states[column]
            n_states[column] += 1

    def _cuts(self, rows: Rows, pieces: list[Any]) -> tuple[Floats, NDArray[np.int32]]:
        """For each column the values that part its states, ascending, and how many: a row's state is how many of them
        it exceeds."""
        n_columns = rows.n_features
        is_state = np.zeros(n_columns, dtype=bool)
        is_state[list(rows.state_columns)] = True
        is_natural = is_state | (self.discretize is None)
        if self.discretize == "auto":
            cuts, counts = _few_values(pieces, n_columns)
            is_few = (counts > 0) & (counts <= _FEW_VALUES)
        else:
            cuts, counts = np.zeros((n_columns, 2)), np.ones(n_columns, dtype=np.int32)
            is_few = np.zeros(n_columns, dtype=bool)
        n_cuts = counts - 1
        many = {c: _all_values(_column(pieces, c), c)[:-1] for c in np.flatnonzero(is_natural & ~is_few).tolist()}
        to_cut = np.flatnonzero(~is_natural & ~is_few)
        if self.discretize == "frequency":
            many |= {c: self._quantiles(_column(pieces, c)) for c in to_cut.tolist()}
        elif len(to_cut):
            limits = self._limits(rows.moments, to_cut)
            cuts = _widened(cuts, limits.shape[1])
            cuts[to_cut, : limits.shape[1]] = limits
            n_cuts[to_cut] = np.where(rows.moments.highest[to_cut] > rows.moments.lowest[to_cut], limits.shape[1], 0)
        cuts = _widened(cuts, max(map(len, many.values()), default=0))
        for column, of_column in many.items():
            cuts[column, : len(of_column)] = of_column
            n_cuts[column] = len(of_column)
        return cuts, n_cuts

    def _limits(self, moments: ClassMoments, columns: NDArray[np.intp]) -> Floats:
        """The same number of limits for each of these columns."""
        if self.discretize == "width":
            low, high = moments.lowest[columns], moments.highest[columns]
            inside: Floats = np.arange(1, self.n_bins) / self.n_bins
            with np.errstate(invalid="ignore"):  # a column never observed has no range, and no cut
                edges: Floats = low[:, None] + (high - low)[:, None] * inside
            return edges
        between, within, weight = (of_all[columns] for of_all in moments.between_and_within())
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.nansum(moments.weight[:, columns] * moments.mean[:, columns], axis=0) / weight
            reach = self.factor * np.sqrt((between + within) * weight / np.maximum(weight - 1, 1))
        overflowing = np.flatnonzero((weight > 0) & ~np.isfinite(mean + reach))
        if len(overflowing):
            raise OverflowingColumn(int(columns[overflowing[0]]))
        if self.discretize == "mean":
            middle: Floats = mean[:, None]
            return middle
        # Strictly below the lower limit is a state: at it, the value exceeds the number just before.
        limits: Floats = np.column_stack([np.nextafter(mean - reach, -np.inf), mean + reach])
        return limits

    def _quantiles(self, column: Floats) -> Floats:
        seen = column[~np.isnan(column)]
        if len(seen) == 0:
            return seen
        shares = np.arange(1, self.n_bins) / self.n_bins
        quantiles: Floats = np.unique(np.quantile(seen, shares, method="lower"))
        inside: Floats = quantiles[quantiles < seen.max()]
        return inside


def _column(pieces: list[Any], column: int) -> Floats:
    whole: Floats = np.concatenate([piece[:, column] for piece in pieces]).astype(np.float64)
    return whole


def _few_values(pieces: list[Any], n_columns: int) -> tuple[Floats, NDArray[np.int32]]:
    """The distinct values of each column, ascending, and how many: as of few_distinct."""
    found = []
    for piece in pieces:
        distinct, counts = np.zeros((n_columns, _FEW_VALUES)), np.zeros(n_columns, dtype=np.int32)
        few_distinct(piece, True, distinct, counts, thread_count())
        found.append((distinct, counts))
    if len(found) == 1:
        return found[0]
    places = np.arange(_FEW_VALUES)
    lists = [np.where(places < counts[:, None], distinct, np.inf) for distinct, counts in found]
    together = np.sort(np.hstack(lists), axis=1)
    is_again = together[:, 1:] == together[:, :-1]
    together[:, 1:][is_again] = np.inf
    together.sort(axis=1)
    counts = np.count_nonzero(np.isfinite(together), axis=1).astype(np.int32)
    counts = np.minimum(np.max([counts, *(of_piece for _, of_piece in found)], axis=0), _FEW_VALUES + 1)
    counts[np.min([of_piece for _, of_piece in found], axis=0) < 0] = -1
    few: Floats = np.where(np.isfinite(together[:, :_FEW_VALUES]), together[:, :_FEW_VALUES], 0.0)
    return few, counts.astype(np.int32)


def _widened(table: Floats, width: int) -> Floats:
    return table if table.shape[1] >= width else np.pad(table, ((0, 0), (0, width - table.shape[1])))


def _all_values(column: Floats, number: int) -> Floats:
    """Every distinct value, ascending."""
    distinct: Floats = np.unique(column[~np.isnan(column)])
    if len(distinct) > _MOST_STATES:
        raise InvalidInput(
            f"Column {number} has {len(distinct):,} distinct values, more than {_MOST_STATES:,} states: it looks like "
            "a quantity or an identifier. Set discretize, or leave it out."
        )
    return distinct if len(distinct) else np.zeros(1)

"""Numbers become states: each column is cut, or taken as it is, by what was learned from the training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.errors import InvalidInput, OverflowingColumn
from fewest.methods.information.discretisation.value_counts import ValueCounts
from fewest.parameters import check_choice, check_not_negative, is_whole, wrong

DISCRETIZE = ("auto", None, "mean", "sigma", "width", "frequency")
MISSING = ("state", "pairwise")

#: Whole numbers with at most so many values are states as they are, under "auto".
FEW_VALUES = 10
#: More states than this are no states.
_MOST_STATES = 65_000


@dataclass(frozen=True)
class Discretizer:
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
        check_choice("discretize", self.discretize, DISCRETIZE)
        check_choice("missing", self.missing, MISSING)
        if not is_whole(self.n_bins) or not 2 <= self.n_bins <= 1000:
            raise wrong("n_bins", "a whole number from 2 to 1000", self.n_bins)
        check_not_negative("factor", self.factor)

    def states_of(self, known: ValueCounts, is_state: Mask, columns: Indices) -> tuple[Integers, Codes]:
        """The state of each distinct value of some columns, and how many states each column has.

        is_state : which of them hold codes of text or categories
        columns : their numbers, for an error
        """
        is_natural = is_state | (self.discretize is None)
        if self.discretize == "auto":
            n_fractions = np.bincount(known.columns, known.values != np.floor(known.values), len(columns))
            is_natural |= (n_fractions == 0) & (known.n_values <= FEW_VALUES)
        too_many = np.flatnonzero(is_natural & (known.n_values > _MOST_STATES))
        if len(too_many):
            raise _too_many_states(int(columns[too_many[0]]), int(known.n_values[too_many[0]]))
        if is_natural.all():
            return known.places, np.maximum(known.n_values, 1).astype(np.int32)
        if self.discretize == "frequency":
            limits = self._quantiles(known)
        else:
            limits = self.limits(*known.mean_and_spread(), known.lowest, known.highest, columns)
        limits[~(known.highest > known.lowest)] = np.inf
        exceeded = np.count_nonzero(known.values[:, None] > limits[known.columns], axis=1)
        states = np.where(is_natural[known.columns], known.places, exceeded)
        n_states = np.where(is_natural, np.maximum(known.n_values, 1), 1 + np.isfinite(limits).sum(axis=1))
        return states, n_states.astype(np.int32)

    def limits(self, mean: Floats, spread: Floats, lowest: Floats, highest: Floats, columns: Indices) -> Floats:
        """The values that part the states of each column, ascending: a row's state is how many of them it exceeds.

        columns : their numbers, for an error
        """
        with np.errstate(invalid="ignore", over="ignore"):  # a column never observed has no range, and no limits
            if self.discretize == "width":
                inside: Floats = np.arange(1, self.n_bins) / self.n_bins
                edges: Floats = lowest[:, None] + (highest - lowest)[:, None] * inside
                return edges
            reach = self.factor * spread
            overflowing = np.flatnonzero((lowest <= highest) & ~np.isfinite(mean + reach))
            if len(overflowing):
                raise OverflowingColumn(int(columns[overflowing[0]]))
            if self.discretize == "mean":
                return mean[:, None].copy()
            # Strictly below the lower limit is a state: at it, the value exceeds the number just before.
            return np.column_stack([np.nextafter(mean - reach, -np.inf), mean + reach])

    def _quantiles(self, known: ValueCounts) -> Floats:
        limits = known.lower_quantiles(np.arange(1, self.n_bins) / self.n_bins)
        is_again = np.zeros(limits.shape, dtype=bool)
        is_again[:, 1:] = limits[:, 1:] == limits[:, :-1]
        limits[is_again | (limits >= known.highest[:, None])] = np.inf
        limits.sort(axis=1)
        return limits


def _too_many_states(column: int, n_values: int) -> InvalidInput:
    return InvalidInput(
        f"Column {column} has {n_values:,} distinct values, more than {_MOST_STATES:,} states: it looks like a "
        "quantity or an identifier. Set discretize, or leave it out."
    )

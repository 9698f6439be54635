"""Rows made ready for linear machines: scaled columns, and a class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from fewest.arrays import Floats, Indices, Mask
from fewest.data.block import Block
from fewest.errors import InvalidInput
from fewest.parameters import check_positive
from fewest.statistics.content_order import content_order
from fewest.statistics.missing_values import refuse_gaps
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale, origin_and_unit

#: Weights that differ by less are ties.
TIE = 1e-12


@dataclass(frozen=True)
class MachineRows:
    """The columns that vary, scaled, and for each machine which side each row is on.

    Rows and columns stand in an order that their values alone decide, and rows that are alike are one row with their
    weights added up: so a method that amplifies rounding gives the same for any order, and a row of weight 2 is exactly
    the row twice.

    columns : (n_varying, n_rows) in C order
    weights : (n_rows,) the weight of each row
    signs : (n_machines, n_rows), 1 for the rows of a class and -1 for the rest; one machine where there are two classes
    places : which columns of the table these are
    is_observed : which columns of the table hold a value at all
    """

    columns: Floats
    weights: Floats
    signs: Floats
    places: Indices
    is_observed: Mask

    @classmethod
    def of(cls, rows: Rows, scale: str | None) -> Self:
        _check(rows)
        unit = origin_and_unit(rows.moments, scale)[1]
        rows = _without_repetitions(rows)
        order, ranks = content_order(rows, np.ones(rows.n_rows, dtype=np.intp), rows.weights, 0)
        weights = rows.weights[order]
        varying = np.flatnonzero(unit > 0)
        columns = np.ascontiguousarray(rows.values[order][:, varying].T) + 0.0
        by_content = np.array(sorted(range(len(varying)), key=lambda j: columns[j].tobytes()), dtype=np.intp)
        columns, varying = columns[by_content], varying[by_content]
        _scale(columns, weights, scale, rows, varying)
        classes = ranks[rows.codes[order]]
        present = np.unique(classes)
        if len(present) == 2:
            present = present[:1]
        signs = np.where(classes == present[:, None], 1.0, -1.0)
        return cls(columns, weights, signs, varying, rows.moments.is_observed)

    @property
    def n_columns(self) -> int:
        """How many columns the table has."""
        return len(self.is_observed)

    def of_table(self, numbers: Floats) -> Floats:
        """Numbers of these columns as numbers of all: zero where a column does not vary, NaN where it has no value."""
        spread = np.where(self.is_observed, 0.0, np.nan)
        spread[self.places] = numbers
        return spread


@dataclass(frozen=True)
class FitsMachines:
    """What criteria share that fit linear machines, for more than two classes each against the rest.

    scale : as in ScatterTrace; a constant column has no weight
    """

    scale: str | None = "std"

    #: A machine adds up the columns of a row, so none may be missing.
    allows_missing: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()


@dataclass(frozen=True)
class PaysForSlack(FitsMachines):
    """Those of them whose machines pay C for each row's slack."""

    C: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("C", self.C)


def placed_below(scores: Floats, columns: Indices, weights: Floats) -> None:
    """Write scores of these columns, in the order of their weights, all above zero and below every score above zero.

    What is told of such columns is their order alone, so that a rank is all there is to write.
    """
    least = min(scores[scores > 0].min(initial=np.inf), 1.0)
    _, ranks = np.unique(np.round(weights / max(weights.max(initial=0.0), TIE), 12), return_inverse=True)
    scores[columns] = least * (ranks + 1) / (len(weights) + 1)


def _check(rows: Rows) -> None:
    counts = np.bincount(rows.codes, minlength=1)
    if np.count_nonzero(counts) < 2:
        raise InvalidInput(
            f"There are {rows.n_rows} row(s) of {np.count_nonzero(counts)} class(es), and a machine tells two classes "
            "apart. Give rows of at least two classes."
        )
    advice = "or use a method that takes gaps, such as MRMR or ReliefF"
    refuse_gaps(rows, "a linear machine adds up whole rows", advice)


def _without_repetitions(rows: Rows) -> Rows:
    """The rows with those that are alike as one, of their total weight."""
    # One zero and one NaN, so that what is equal is equal to the bit.
    table = np.column_stack([rows.values, rows.codes]) + 0.0
    table[np.isnan(table)] = np.nan
    lines = table.view(np.dtype((np.void, table.itemsize * table.shape[1])))[:, 0]
    _, first, group = np.unique(lines, return_index=True, return_inverse=True)
    if len(first) == rows.n_rows:
        return rows
    # The weights of a group are added up in order of size, whatever order they came in.
    order = np.lexsort((rows.weights, group))
    starts = np.searchsorted(group[order], np.arange(len(first)))
    weights = np.add.reduceat(rows.weights[order], starts)
    distinct = rows.empty()
    distinct.update(Block(rows.values[first], rows.codes[first], rows.classes, weights))
    return distinct


def _scale(columns: Floats, weights: Floats, scale: str | None, rows: Rows, places: Indices) -> None:
    """Scale the columns in place, by sums in the order that rows have now: the same for any other they came in."""
    if scale is None:
        return
    if scale == "std":
        total = weights.sum()
        columns -= ((columns * weights).sum(axis=1) / total)[:, None]
        unit = np.sqrt((columns**2 * weights).sum(axis=1) / total)
    else:
        origin, unit = (numbers[places] for numbers in origin_and_unit(rows.moments, scale))
        columns -= origin[:, None]
    columns /= unit[:, None]

"""Rows made ready for linear machines: scaled columns, and a class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.errors import InvalidInput
from fewest.parameters import check_positive
from fewest.statistics.content_order import content_order
from fewest.statistics.prepared_rows import PreparedRows, merge_duplicates, reject_missing_values, varying_columns
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale

#: Weights that differ by less are ties.
TIE = 1e-12


def svm_rows(rows: Rows, scale: str | None) -> PreparedRows:
    """Distinct rows in the order of their content, over the columns that vary in the order of theirs, scaled.

    A method that amplifies rounding so gives the same answer for any order, and a row of weight 2 is exactly the row
    twice.
    """
    _check(rows)
    varying = varying_columns(rows, scale)
    distinct = merge_duplicates(rows)
    prepared = PreparedRows(distinct, *content_order(distinct), varying, layout="F")
    prepared.sort_columns()
    prepared.scale_by_rows(scale)
    return prepared


def one_versus_rest_signs(codes: Codes) -> Floats:
    """(n_svms, n_rows) 1 for the rows of a class and -1 for the rest; one SVM where there are two classes."""
    present = np.unique(codes)
    if len(present) == 2:
        present = present[:1]
    return np.where(codes == present[:, None], 1.0, -1.0)


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
    advice = "or use a method that takes missing values, such as MRMR or ReliefF"
    reject_missing_values(rows, "a linear SVM sums over all columns of a row", advice)

"""Sums of Gaussian kernels within and between classes, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fewest._core import kernel_sums, sparse_kernel_sums
from fewest.arrays import Codes, Floats
from fewest.statistics.rows import as_csc
from fewest.threads import thread_count

#: The error of the sums: at most RELATIVE_ERROR of a sum, and ABSOLUTE_ERROR for each pair of rows, besides rounding.
RELATIVE_ERROR = 1.1e-12
ABSOLUTE_ERROR = 1.5e-14

#: The narrowest kernel, as a share of the range: below it only equal values differ from others in double precision.
_NARROWEST = 1e-15
#: The number of values copied column by column at a time.
_CHUNK_VALUES = 1 << 21


class KernelSums(NamedTuple):
    """Kernel sums S_cd of every column, each array of shape (n_columns, n_classes).

    weight : the total weight of the observed rows of each class
    within : S_cc, the sum over pairs of rows of the class
    total : sum_d S_cd, the sum over pairs of a row of the class and any row
    """

    weight: Floats
    within: Floats
    total: Floats


def class_kernel_sums(
    runs: Sequence[Floats | sparse.csr_array], codes: Codes, weights: Floats, n_classes: int, lowest: Floats,
    highest: Floats, width: Floats, categorical: Sequence[int] = (),
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return S_cc and sum_d S_cd, S_cd = sum over i in c, j in d of w_i w_j exp(-(x_i - x_j)^2 / 2 s^2), by column.

    A column of at most 16 distinct values is summed over pairs of these; others on a grid of spacing .4175 s where each
    value contributes to the 28 nearest points: O(n_rows + n_classes * n_points) a column, never over pairs of rows. In
    a sparse column all zeros of a class are one value. Sums run over the observed rows, in their order: threads do not
    change a bit, the order of the rows only the last ones.

    runs : consecutive rows, dense or sparse
    lowest, highest : the range of each column
    width : s of each column, in its units; 0 for a constant column, whose sums are 0
    categorical : the columns of categories, where the kernel of two values is 1 if they are equal, otherwise 0
    """
    varies = (highest > lowest) & (width > 0)
    origin = np.where(varies, lowest, 0.0)
    extent = np.where(varies, highest, 0.0) - origin
    width = np.where(varies, np.maximum(width, _NARROWEST * extent), 0.0)
    width[list(categorical)] = 0.0
    within, total = np.zeros((2, len(width), n_classes))
    row_weights = None if (weights == 1.0).all() else np.ascontiguousarray(weights)
    if runs and all(sparse.issparse(run) for run in runs):
        csc: sparse.csc_array = as_csc(list(runs))
        counts = np.bincount(codes, minlength=n_classes).astype(np.int64)
        class_weights = np.bincount(codes, row_weights, minlength=n_classes).astype(np.float64)
        sparse_kernel_sums(
            csc.data, csc.indices, csc.indptr, class_weights, counts, codes, row_weights, origin, width, within, total,
            thread_count(),
        )  # fmt: skip
        return within, total
    pieces = [run if isinstance(run, np.ndarray) else run.toarray() for run in runs]
    step = max(1, _CHUNK_VALUES // max(len(codes), 1))
    for first in range(0, len(width) if pieces else 0, step):
        columns = slice(first, min(first + step, len(width)))
        values = np.empty((columns.stop - first, len(codes)))
        np.concatenate([piece[:, columns].T for piece in pieces], axis=1, out=values)
        kernel_sums(
            values, codes, row_weights, origin[columns], width[columns], within[columns], total[columns],
            thread_count(),
        )  # fmt: skip
        for j in categorical:
            if first <= j < columns.stop:
                within[j], total[j] = _category_sums(values[j - first], codes, row_weights, n_classes)
    return within, total


def _category_sums(values: Floats, codes: Codes, weights: Floats | None, n_classes: int) -> tuple[Floats, Floats]:
    """Return S_cc and sum_d S_cd of one column of categories."""
    is_observed = ~np.isnan(values)
    observed_weights = None if weights is None else weights[is_observed]
    category = np.unique(values[is_observed], return_inverse=True)[1]
    distinct, cell = np.unique(category * n_classes + codes[is_observed], return_inverse=True)
    category_of_cell, class_of_cell = np.divmod(distinct, n_classes)
    weight = np.bincount(cell, observed_weights).astype(np.float64)
    category_weight = np.bincount(category_of_cell, weight)[category_of_cell]
    within, total = np.zeros((2, n_classes))
    np.add.at(within, class_of_cell, weight * weight)
    np.add.at(total, class_of_cell, weight * category_weight)
    return within, total

"""Rows that are kept, as states."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from fewest._core import CategoryColumns
from fewest.arrays import Indices
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.fitted_discretizer import FittedDiscretizer
from fewest.methods.information.discretisation.state_rows import CategoricalRows
from fewest.methods.information.discretisation.value_counts import of_sparse
from fewest.threads import thread_count

_MISSING_CODE = 65_535


def states_of(rows: CategoricalRows, discretizer: Discretizer, class_ranks: Indices) -> CategoryColumns:
    """The rows as states, with their classes as one more column, numbered by these ranks."""
    n_classes = len(class_ranks)
    last = np.array([rows.n_features])
    of_class = class_ranks[rows.codes].astype(np.uint16)[None]
    if any(sparse.issparse(piece.values) for piece in rows.pieces):
        states = _listed_states(rows, discretizer, n_classes)
    else:
        learned = FittedDiscretizer(discretizer, rows)
        n_states = np.append(learned.n_states, n_classes).astype(np.int32)
        is_listed = np.zeros(len(n_states), dtype=bool)
        states = CategoryColumns(n_states, np.append(learned.is_complete, True), is_listed, rows.n_rows)
        for piece in rows.pieces:
            for run in learned.runs(piece):
                states.fill(run.columns, run.codes, run.first, thread_count())
    states.fill(last, of_class, np.zeros(1, dtype=np.int64), 1)
    return states


def _listed_states(rows: CategoricalRows, discretizer: Discretizer, n_classes: int) -> CategoryColumns:
    """The same for columns that are mostly zero: a list of the rows in other states, never a dense table."""
    matrix = sparse.csc_matrix(sparse.vstack([piece.values for piece in rows.pieces], format="csc"))
    is_state = np.zeros(rows.n_features, dtype=bool)
    is_state[list(rows.categorical_columns)] = True
    columns = np.arange(rows.n_features)
    known, of_entry, of_zero = of_sparse(matrix)
    states, n_states = discretizer.states_of(known, is_state, columns)
    has_gaps = np.bincount(np.repeat(columns, np.diff(matrix.indptr))[of_entry < 0], minlength=len(columns)) > 0
    of_gap = np.full(len(columns), _MISSING_CODE)
    if discretizer.missing == "state":
        of_gap = n_states
        n_states = n_states + has_gaps.astype(np.int32)
    is_complete = ~has_gaps | (discretizer.missing == "state")
    # What follows the known values stands for what is missing.
    listed = np.append(states, 0)[of_entry]
    listed[of_entry < 0] = np.repeat(of_gap, np.diff(matrix.indptr))[of_entry < 0]
    usual = np.where(of_zero >= 0, np.append(states, 0)[of_zero], 0).astype(np.int32)
    table = CategoryColumns(
        np.append(n_states, n_classes).astype(np.int32), np.append(is_complete, True), np.append(columns >= 0, False),
        rows.n_rows,
    )  # fmt: skip
    starts, places = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    table.list(columns, starts, places, listed.astype(np.uint16), usual)
    return table

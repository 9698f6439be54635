"""Rows prepared for linear SVMs, and the signs of one-versus-rest SVMs."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Codes, Floats
from fewest.errors import InvalidInput
from fewest.statistics.content_order import content_order
from fewest.statistics.prepared_rows import PreparedRows, merge_duplicates, reject_missing_values, varying_columns
from fewest.statistics.rows import Rows


def svm_rows(rows: Rows, scale: str | None) -> PreparedRows:
    """Distinct rows in the order of their content, over the columns that vary in the order of theirs, scaled.

    A method that amplifies rounding so gives the same answer for any order, and a row of weight 2 is exactly the row
    twice.
    """
    check_two_classes(rows)
    advice = "or use a method that takes missing values, such as MRMR or ReliefF"
    reject_missing_values(rows, "a linear SVM sums over all columns of a row", advice)
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


def check_two_classes(rows: Rows) -> None:
    """Raise unless there are rows of at least two classes."""
    n_classes = len(np.unique(rows.codes))
    if n_classes < 2:
        raise InvalidInput(
            f"There are {rows.n_rows} row(s) of {n_classes} class(es), and an SVM separates two classes. "
            "Give rows of at least two classes."
        )

"""What compare() is given, as tables: their rows, their groups, and the columns known to be true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fewest.data.source import Source
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.row_values import of_each_table
from fewest.evaluation.design.table import Table


def to_tables(X: Any, y: Any, groups: Any = None, marks: Any = None) -> list[Table]:
    """One table, or those of a dict.

    groups, marks : as Table.of has them; for several tables by name, or one name of a column for all
    """
    if isinstance(X, Mapping):
        if y is not None:
            raise InvalidParameter("With a dict of tables leave out y: each table has its own, {name: (X, y)}.")
        if not X:
            raise InvalidInput("There are no tables to compare methods on. Give some.")
        given = {str(name): one if isinstance(one, tuple) else (one, None) for name, one in X.items()}
    else:
        given = {"table": (X, y)}
    names = list(given)
    return [
        Table.of(_source(*given[name]), name, groups=own, marks=marked)
        for name, own, marked in zip(
            names, of_each_table(groups, "groups", names), of_each_table(marks, "splits", names), strict=True
        )
    ]


def _source(X: Any, y: Any) -> Source:
    if isinstance(X, Source):
        if y is not None:
            raise InvalidInput("A source made by scan() has its own labels: leave out y.")
        return X
    if y is None:
        raise InvalidInput("The class of each row is missing. Give y, or a source made by scan().")
    from fewest.methods.information.selectors import MRMR
    from fewest.selectors.input import to_source

    return to_source(MRMR(), X, y, None, is_new=True, takes_text=True)


def true_columns(truth: Any, table: Table) -> tuple[int, ...] | None:
    """The columns of a table that are known to tell the classes apart, by name or number."""
    given = truth.get(table.name) if isinstance(truth, Mapping) else truth
    if given is None:
        return None
    columns = []
    for one in given:
        if isinstance(one, str) and one in table.feature_names:
            columns.append(table.feature_names.index(one))
        elif isinstance(one, (int, np.integer)) and 0 <= one < table.n_columns:
            columns.append(int(one))
        else:
            raise InvalidParameter(f"truth names {one!r}, which is no column of {table.name!r}.")
    if not 0 < len(set(columns)) < table.n_columns:
        raise InvalidParameter(
            f"truth names {len(set(columns))} of the {table.n_columns} columns of {table.name!r}. Name at least one, "
            "and not all: true columns are told from the others."
        )
    return tuple(sorted(set(columns)))

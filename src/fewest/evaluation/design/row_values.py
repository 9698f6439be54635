"""Values that stand beside the features, one a row: an array, or a column that is then no feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.arrays import Indices
from fewest.data.files.column_roles import find_column
from fewest.data.labels import as_labels, is_missing
from fewest.data.source import Source
from fewest.errors import InvalidInput, InvalidParameter


def of_each_table(given: Any, role: str, tables: Sequence[str]) -> list[Any]:
    """What was given for each table: by its name, or one name of a column for all; None where nothing was."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in tables:
                raise InvalidParameter(f"{role} are given for {name!r}, which is no table: {', '.join(tables)}.")
        return [given.get(name) for name in tables]
    if given is not None and not isinstance(given, str) and len(tables) > 1:
        raise InvalidParameter(f"With several tables give the {role} as one name, or by table: {{name: values}}.")
    return [given] * len(tables)


def without_columns(source: Source, given: Mapping[str, Any], where: str) -> Source:
    """The source without those of its columns that are named here, by their roles; raises where there is none such."""
    known = list(source.feature_names or ())
    names = {role: name for role, name in given.items() if isinstance(name, str)}
    for role, name in names.items():
        if not known and not source.row_arrays:
            raise InvalidInput(f"The columns of {where} have no names. Give the {role} as an array, one value a row.")
        find_column([*known, *source.row_arrays], name, role, where)
    kept = [place for place, name in enumerate(known) if name not in names.values()]
    if len(kept) == len(known):
        return source
    if not kept:
        raise InvalidInput(f"There is no feature in {where} beside {', '.join(map(repr, known))}. Give some.")
    return source.only(kept)


def read_values(source: Source, given: Any, role: str, row_numbers: Indices, where: str) -> list[Any]:
    """One value a row, plain, None where it is missing.

    given : the values, or the name of a column of the source, whose text is read as codes; or of what stands beside it
    row_numbers : which rows of the source there are, those without a label left out
    """
    if isinstance(given, str):
        names = list(source.feature_names or ())
        if given in names:
            return _column(source, names.index(given), role, where)
        return _plain(np.asarray(source.row_arrays[given])[row_numbers])
    values = as_labels(given)
    if values.ndim != 1 or len(values) != len(row_numbers):
        shape = f"{len(values)} values" if values.ndim == 1 else f"the shape {values.shape}"
        raise InvalidInput(f"The {role} have {shape}, and {where} has {len(row_numbers)} rows. Give one value a row.")
    return _plain(values)


def _column(source: Source, place: int, role: str, where: str) -> list[Any]:
    try:
        blocks = [block.values for block in source.blocks([place])]
    except InvalidInput as error:
        raise InvalidInput(f"The {role} of {where} cannot be read. {error}") from None
    numbers = np.concatenate([np.ravel(one.toarray() if sparse.issparse(one) else one) for one in blocks])
    assert source.feature_names is not None
    states = source.categories_of(source.feature_names[place])
    if states is None:
        return _plain(numbers)
    return [None if code != code else states[int(code)] for code in numbers.tolist()]


def _plain(values: NDArray[Any]) -> list[Any]:
    """Values that are equal where they are the same: 3 and 3.0, and no objects of NumPy."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values.tolist()]
    return [
        None if is_missing(value) else int(value) if isinstance(value, float) and value.is_integer() else value
        for value in plain
    ]

"""A table in memory, whose rows can be taken apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Floats, Indices
from fewest.data.block import Block
from fewest.data.labels import label_texts, sort_classes
from fewest.data.source import Source
from fewest.errors import InvalidInput
from fewest.evaluation.design.groups import Groups
from fewest.evaluation.design.row_values import read_values, without_columns
from fewest.statistics.class_moments import ClassMoments


@dataclass(frozen=True)
class Table:
    """All rows of a source, with text as codes.

    values : rows by columns, numbers as they came, dense or CSR; NaN where one is missing
    codes : the class of each row, in the order of the labels
    classes : their names
    states : the columns that hold codes of text or categories, whose order means nothing
    """

    name: str
    values: Any
    codes: Codes
    classes: tuple[str, ...]
    feature_names: tuple[str, ...]
    states: tuple[int, ...]
    fingerprint: str
    #: Of values and classes in their order, on which the splits depend.
    digest: str
    #: Which rows belong together, or None where each stands alone.
    groups: Groups | None = None
    #: What a column of splits says of each row, or None where there is none.
    marks: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, source: Source, name: str, *, groups: Any = None, marks: Any = None) -> Table:
        """The table that a source reads; weights are refused, since an error counts rows.

        groups, marks : one value a row, or the name of a column that holds them, which is no feature then
        """
        whole_source = source.with_text_as_codes()
        asides = {role: given for role, given in (("groups", groups), ("splits", marks)) if given is not None}
        source = without_columns(whole_source, asides, repr(name))
        values, codes, numbers = [], [], []
        labels: Sequence[Any] = ()
        moments = ClassMoments()
        for block in source.blocks():
            if block.weights is not None and not (block.weights == 1).all():
                raise InvalidInput("A comparison counts rows, so rows cannot have weights. Leave the weights out.")
            moments.update(block.as_floats())
            values.append(block.values)
            codes.append(block.codes)
            numbers.append(block.all_row_numbers())
            labels = block.classes
        if not values or sum(map(len, codes)) == 0:
            raise InvalidInput("There are no rows to compare methods on. Give some.")
        order = sort_classes(list(labels))
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        whole = sparse.vstack(values, format="csr") if sparse.issparse(values[0]) else np.concatenate(values)
        names = source.feature_names or [f"x{column}" for column in range(source.n_features)]
        texts = set(source.text_columns)
        known = label_texts(list(labels))
        table = cls(
            name,
            whole,
            rank[np.concatenate(codes)],
            tuple(known[c] for c in order),
            tuple(names),
            tuple(place for place, column in enumerate(names) if column in texts),
            moments.fingerprint(),
            _digest(whole, rank[np.concatenate(codes)]),
        )
        table.check()
        rows = np.concatenate(numbers)
        read = {role: read_values(whole_source, given, role, rows, repr(name)) for role, given in asides.items()}
        return table._with(read.get("groups"), read.get("splits"))

    def _with(self, groups: Sequence[Any] | None, marks: Sequence[Any] | None) -> Table:
        """The same with what was read beside it."""
        known = None if groups is None else Groups.of(groups, repr(self.name))
        if known is not None:
            known.check(self.codes, self.classes, repr(self.name))
        return replace(self, groups=known, marks=None if marks is None else tuple(marks))

    def check(self) -> None:
        counts = np.bincount(self.codes, minlength=len(self.classes))
        if np.count_nonzero(counts) < 2:
            raise InvalidInput(f"All rows of {self.name!r} have one class; at least two are needed.")
        few = [name for name, count in zip(self.classes, counts.tolist(), strict=True) if count < 2]
        if few:
            raise InvalidInput(
                f"The class {few[0]!r} of {self.name!r} has a single row, which cannot be learned from and tested. "
                "Leave out such classes, or join them."
            )

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    @property
    def n_columns(self) -> int:
        return len(self.feature_names)

    def groups_of(self, rows: Indices) -> Groups | None:
        """The groups of some of the rows."""
        return None if self.groups is None else self.groups.take(rows)

    def rows(self, rows: Indices) -> Source:
        """Some of the rows, for a selector to fit."""
        return _TableRows(self, rows)

    def columns(self, rows: Indices, columns: Sequence[int]) -> Floats:
        """Some of the values, dense."""
        chosen = self.values[rows][:, np.asarray(columns, dtype=np.intp)]
        return np.asarray(chosen.toarray() if sparse.issparse(chosen) else chosen, dtype=np.float64)


def _digest(values: Any, codes: Codes) -> str:
    parts = (values.data, values.indices, values.indptr) if sparse.issparse(values) else (values,)
    hashed = hashlib.blake2b(codes.tobytes(), digest_size=16)
    for part in parts:
        hashed.update(np.ascontiguousarray(part).view(np.uint8).data)
    return hashed.hexdigest()


class _TableRows(Source):
    """Some rows of a table."""

    is_in_memory = True

    def __init__(self, table: Table, rows: Indices) -> None:
        self._table = table
        self._values, self._codes = table.values[rows], table.codes[rows]
        self.feature_names = table.feature_names
        self.n_features = self.columns_at_once = table.n_columns
        self.text_columns = [table.feature_names[column] for column in table.states]
        self.n_rows = len(rows)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        values = self._values if columns is None else self._values[:, np.asarray(columns, dtype=np.intp)]
        yield Block(values, self._codes, self._table.classes, columns=columns, is_all=True)

    def with_text_as_codes(self) -> Source:
        return self

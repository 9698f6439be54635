"""The tables of a comparison, in memory: values, classes, groups, and the column that holds the splits."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeGuard, cast

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Floats, Indices
from fewest.checks.checking import allow_by_table, names_of, set_aside
from fewest.data.block import Block
from fewest.data.complete_rows import count_missing
from fewest.data.derived.merged_classes import merged
from fewest.data.derived.probed_source import probed
from fewest.data.files.table_file import find_column
from fewest.data.labels import as_labels, is_missing, label_texts, sort_classes
from fewest.data.scan import scan
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix, is_sparse
from fewest.datasets.dataset import Dataset
from fewest.errors import InvalidInput, InvalidParameter, did_you_mean
from fewest.evaluation.design.content_numbers import columns_by_content, order_by_content
from fewest.evaluation.design.groups import Groups
from fewest.selectors.input import to_source
from fewest.selectors.selector import Selector
from fewest.statistics.class_moments import ClassMoments
from fewest.summary import DataSummary


@dataclass(frozen=True)
class Table:
    """All rows of a source, with text as codes, in an order that their contents decide.

    Rows and classes are numbered by their contents, and so are the splits that are drawn from the numbers: the order
    in which rows and columns came, the spelling of the labels and the way in change nothing.

    values : rows by columns, numbers as they came, dense or CSR; NaN where one is missing
    codes : the class of each row
    classes : the names of the classes
    categorical_columns : the columns that hold codes of text or categories, whose order means nothing
    digest : a hash of values and classes in their order, on which the splits depend
    row_numbers : the position as given of each row
    label_ranks : the position of each class in the order of the labels, in which results are shown
    groups : which rows belong together, or None
    marks : the value of the split column in each row as given, or None
    data : what the data check found, or None where it was not made
    given_names : the names of the features before some were set aside
    categories : by name of a column of codes, what they stand for
    input_names : the names of all columns, those of groups and splits included
    true_names : the columns that the source knows to carry the class
    """

    name: str
    values: Matrix
    codes: Codes
    classes: tuple[str, ...]
    feature_names: tuple[str, ...]
    categorical_columns: tuple[int, ...]
    fingerprint: str
    digest: str
    row_numbers: Indices
    label_ranks: Indices
    groups: Groups | None = None
    marks: tuple[object, ...] | None = None
    categories: Mapping[str, Sequence[object]] = field(default_factory=dict)
    data: DataSummary | None = None
    given_names: tuple[str, ...] = ()
    input_names: tuple[str, ...] = ()
    true_names: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Source, name: str, *, groups: object = None, marks: object = None) -> Table:
        """Read a source into memory; weights are refused, since an error counts rows.

        groups, marks : one value a row, or the name of a column that holds them, which is no feature then
        """
        all_columns = source.with_text_as_codes()
        requested = {role: one for role, one in (("groups", groups), ("splits", marks)) if one is not None}
        source = _without_columns(all_columns, requested, repr(name))
        blocks = list(source.blocks())
        moments = ClassMoments()
        for block in blocks:
            if block.weights is not None and not (block.weights == 1).all():
                raise InvalidInput("A comparison counts rows, so rows cannot have weights. Leave the weights out.")
            moments.update(block.as_floats())
        if not sum(block.n_rows for block in blocks):
            raise InvalidInput("There are no rows to compare methods on. Give some.")
        labels = list(blocks[-1].classes)
        codes = np.concatenate([block.codes for block in blocks])
        parts = [block.values for block in blocks]
        values = sparse.vstack(parts, format="csr") if is_sparse(parts[0]) else np.concatenate(parts)
        names = source.feature_names or [f"x{column}" for column in range(source.n_features)]
        texts = set(source.text_columns)
        categorical = tuple(i for i, name in enumerate(names) if name in texts)
        rows, ranks = order_by_content(values, codes, len(labels), categorical)
        by_rank = np.argsort(ranks)
        label_ranks = np.argsort(sort_classes(labels))[by_rank]
        known = label_texts(labels)
        values, codes = values[rows], ranks[codes[rows]].astype(np.int32)
        table = cls(
            name, values, codes, tuple(known[code] for code in by_rank), tuple(names), categorical,
            moments.fingerprint(), _digest(values, codes), rows, label_ranks,
            categories={name: source.categories_of(name) or () for name in texts},
            true_names=tuple(source.true_columns),
        )  # fmt: skip
        table._check_classes()
        numbers = np.concatenate([block.all_row_numbers() for block in blocks])
        read = {role: _row_values(all_columns, one, role, numbers, repr(name)) for role, one in requested.items()}
        if "splits" in read:
            table = replace(table, marks=tuple(read["splits"]))
        if "groups" not in read:
            return table
        # Missing values are refused by the number of the row as given; the codes are in the order of the contents.
        Groups.of(read["groups"], repr(name))
        own_groups = Groups.of([read["groups"][row] for row in rows], repr(name))
        own_groups.check(table.codes, table.classes, repr(name))
        return replace(table, groups=own_groups)

    @property
    def label_codes(self) -> Codes:
        """The class of each row, in the order of the labels."""
        return self.label_ranks[self.codes].astype(np.int32)

    @property
    def label_order(self) -> Indices:
        """The code of each class, in the order of the labels."""
        return np.argsort(self.label_ranks)

    def in_label_order(self) -> Table:
        """The same table with the classes in the order of the labels, for what is shown."""
        names = tuple(self.classes[code] for code in self.label_order)
        return replace(self, codes=self.label_codes, classes=names, label_ranks=np.arange(len(names)))

    def _check_classes(self) -> None:
        counts = np.bincount(self.codes, minlength=len(self.classes))
        if np.count_nonzero(counts) < 2:
            raise InvalidInput(f"All rows of {self.name!r} have one class; at least two are needed.")
        few = [name for name, count in zip(self.classes, counts.tolist(), strict=True) if count < 2]
        if few:
            raise InvalidInput(
                f"The class {few[0]!r} of {self.name!r} has a single row, which cannot be both a training row and a "
                "test row. Leave out such classes, or join them."
            )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes)

    @property
    def n_columns(self) -> int:
        """The number of features."""
        return len(self.feature_names)

    @cached_property
    def columns_by_content(self) -> list[int]:
        """All columns, in an order that their contents decide; equal ones in the order of the table."""
        return columns_by_content(self.values, self.codes, self.categorical_columns)

    @cached_property
    def is_complete(self) -> bool:
        """Whether no number is missing."""
        return count_missing(self.values, self.categorical_columns) == 0

    def n_missing(self, rows: Indices) -> int:
        """How many numbers are missing in some of the rows, in columns that have some there."""
        return count_missing(self.values[rows], self.categorical_columns)

    def groups_of(self, rows: Indices) -> Groups | None:
        """The groups of some of the rows."""
        return None if self.groups is None else self.groups.take(rows)

    def rows(self, rows: Indices) -> Source:
        """Some of the rows, for a selector to fit; the values are a copy of their own."""
        return _TableRows(self, rows)

    def columns(self, rows: Indices, columns: Sequence[int]) -> Floats:
        """Some of the values, dense."""
        chosen = self.values[rows][:, np.asarray(columns, dtype=np.intp)]
        return np.asarray(chosen.toarray() if is_sparse(chosen) else chosen, dtype=np.float64)


class _TableRows(Source):
    """Some rows of a table."""

    is_in_memory = True

    def __init__(self, table: Table, rows: Indices) -> None:
        self._table = table
        self._values, self._codes = table.values[rows], table.codes[rows]
        self.feature_names = table.feature_names
        self.n_features = self.columns_at_once = table.n_columns
        self.text_columns = [table.feature_names[column] for column in table.categorical_columns]
        self.n_rows = len(rows)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        values = self._values if columns is None else self._values[:, np.asarray(columns, dtype=np.intp)]
        # The spelling of the labels must not matter to a method: classes are called by their numbers.
        yield Block(values, self._codes, range(len(self._table.classes)), columns=columns, is_all=True)

    def with_text_as_codes(self) -> Source:
        return self

    def categories_of(self, name: str) -> Sequence[Hashable] | None:
        return self._table.categories.get(name)


def to_tables(
    X: object, y: object, groups: object = None, marks: object = None, *, check: bool = False, allow: object = (),
    merge: object = None, probes: int = 0, seed: int = 0,
) -> list[Table]:  # fmt: skip
    """The table, or those of a dict.

    groups, marks : as in Table.of; for several tables by name, or one name of a column for all
    check, allow : whether to check the data first, and the columns that are not set aside
    merge, probes, seed : which classes to join, the number of columns of noise to add, and their seed
    """
    if isinstance(X, Mapping):
        if y is not None:
            raise InvalidParameter("With a dict of tables leave out y: each table has its own, {name: (X, y)}.")
        if not X:
            raise InvalidInput("There are no tables to compare methods on. Give some.")
        data = {str(name): one if isinstance(one, tuple) else (one, None) for name, one in X.items()}
        if len(data) < len(X):
            raise InvalidParameter("Two tables have names that are written alike. Give each a name of its own.")
        if wrong := [name for name, one in data.items() if len(one) != 2]:
            raise InvalidParameter(f"The table {wrong[0]!r} must be (X, y) or a source, got a tuple of another length.")
    else:
        data = {"table": (X, y)}
    own_groups, own_marks = _by_table(groups, "groups", data), _by_table(marks, "splits", data)
    own_merge = merge if _is_by_table(merge, data) else dict.fromkeys(data, merge)
    sources = {name: probed(merged(_to_source(*one), own_merge.get(name)), probes, seed) for name, one in data.items()}
    allowed = allow_by_table(allow, sources) if check else {}
    tables = []
    for name, source in sources.items():
        named = {"groups": own_groups[name], "splits": own_marks[name]}
        roles = [one for one in named.values() if isinstance(one, str)]
        found = None
        names = tuple(names_of(source))
        given = tuple(one for one in names if one not in roles)
        if check:
            # Whether the columns are there, before any of them is set aside.
            _without_columns(source, named, repr(name))
            source, found = set_aside(source, allowed[name], ignored=roles, where=repr(name))
        table = Table.of(source, name, groups=own_groups[name], marks=own_marks[name])
        summary = None if found is None else found.summary
        tables.append(replace(table, data=summary, given_names=given, input_names=names))
    return tables


def true_columns(truth: object, table: Table) -> tuple[int, ...] | None:
    """The columns of a table that are known to be relevant, by name or index."""
    requested = truth.get(table.name) if isinstance(truth, Mapping) else truth
    if requested is None:
        known = tuple(i for i, name in enumerate(table.feature_names) if name in set(table.true_names))
        # Of columns that are all true, none can come first.
        return known if 0 < len(known) < table.n_columns else None
    columns = set()
    for one in cast(Iterable[object], requested):
        if isinstance(one, str) and one in table.feature_names:
            columns.add(table.feature_names.index(one))
        elif isinstance(one, (int, np.integer)) and 0 <= one < len(table.given_names):
            # An index counts the columns as they were given.
            name = table.given_names[one]
            if name not in table.feature_names:
                raise InvalidParameter(f"truth names column {one}, {name!r}, which the data check has set aside.")
            columns.add(table.feature_names.index(name))
        else:
            near = did_you_mean(str(one), table.feature_names)
            raise InvalidParameter(
                f"truth names {one!r}{near}, which is no column of {table.name!r}. Name its columns."
            )
    if not 0 < len(columns) < table.n_columns:
        raise InvalidParameter(
            f"truth names {len(columns)} of the {table.n_columns} columns of {table.name!r}. Name at least one, and "
            "not all: rankings are evaluated by how well they separate relevant columns from the others."
        )
    return tuple(sorted(columns))


def _is_by_table(merge: object, tables: Mapping[str, object]) -> TypeGuard[Mapping[str, object]]:
    """Whether classes to join are given by the names of several tables."""
    return isinstance(merge, Mapping) and len(tables) > 1 and set(merge) <= set(tables)


def _to_source(X: object, y: object) -> Source:
    if isinstance(X, Dataset):
        if y is not None:
            raise InvalidInput("A data set has its own labels: leave out y.")
        return scan(X)
    if isinstance(X, Source):
        if y is not None:
            raise InvalidInput("A source made by scan() has its own labels: leave out y.")
        return X
    if y is None:
        raise InvalidInput("The class of each row is missing. Give y, or a source made by scan().")
    return to_source(Selector(), X, y, None, is_new=True, takes_text=True)


def _by_table(requested: object, role: str, tables: Iterable[str]) -> Mapping[str, object]:
    """The groups or splits of each table: by its name, or one name of a column for all; None where there are none."""
    names = list(tables)
    if isinstance(requested, Mapping):
        for name in requested:
            if name not in names:
                raise InvalidParameter(f"{role} are given for {name!r}, which is no table: {', '.join(names)}.")
        return {name: requested.get(name) for name in names}
    if requested is not None and not isinstance(requested, str) and len(names) > 1:
        raise InvalidParameter(f"With several tables give the {role} as one name, or by table: {{name: values}}.")
    return dict.fromkeys(names, requested)


def take_column(source: Source, name: str, role: str, table: str) -> tuple[Source, list[object]]:
    """Return the source without a column that has a role of its own, and the value of that column in each row.

    Rows that the source leaves out, such as those without a class, have an empty value.
    """
    rest = _without_columns(source, {role: name}, table)
    if name in source.row_arrays:
        return rest, _plain(np.asarray(source.row_arrays[name]).tolist())
    readable = source.with_text_as_codes()
    column = list(source.feature_names or ()).index(name)
    read = _column_values(readable, column, role, table)
    rows = np.concatenate([block.all_row_numbers() for block in readable.blocks([column])])
    values: list[object] = [""] * (int(rows.max(initial=-1)) + 1)
    for row, value in zip(rows.tolist(), read, strict=True):
        values[row] = value
    return rest, values


def _without_columns(source: Source, requested: Mapping[str, object], table: str) -> Source:
    """The source without the columns that are named by role; raises where it has no such column."""
    known = list(source.feature_names or ())
    names = {role: name for role, name in requested.items() if isinstance(name, str)}
    for role, name in names.items():
        if not known and not source.row_arrays:
            raise InvalidInput(f"The columns of {table} have no names. Give the {role} as an array, one value a row.")
        find_column([*known, *source.row_arrays], name, role, table)
    kept = [index for index, name in enumerate(known) if name not in names.values()]
    if len(kept) == len(known):
        return source
    if not kept:
        raise InvalidInput(f"There is no feature in {table} in addition to {', '.join(map(repr, known))}. Give some.")
    return source.only(kept)


def _row_values(source: Source, requested: object, role: str, row_numbers: Indices, table: str) -> list[object]:
    """One value a row, None where it is missing.

    requested : the values, or the name of a column or row array of the source
    row_numbers : the rows of the source that have a label
    """
    if isinstance(requested, str):
        names = list(source.feature_names or ())
        if requested in names:
            return _column_values(source, names.index(requested), role, table)
        return _plain(np.asarray(source.row_arrays[requested])[row_numbers].tolist())
    values = as_labels(requested)
    if values.ndim != 1 or len(values) != len(row_numbers):
        shape = f"{len(values)} values" if values.ndim == 1 else f"the shape {values.shape}"
        raise InvalidInput(f"The {role} have {shape}, and {table} has {len(row_numbers)} rows. Give one value a row.")
    return _plain(values.tolist())


def _column_values(source: Source, column: int, role: str, table: str) -> list[object]:
    try:
        parts = [block.values for block in source.blocks([column])]
    except InvalidInput as error:
        raise InvalidInput(f"The {role} of {table} cannot be read. {error}") from None
    numbers = np.concatenate([np.ravel(one.toarray() if is_sparse(one) else one) for one in parts]).tolist()
    assert source.feature_names is not None
    categories = source.categories_of(source.feature_names[column])
    if categories is None:
        return _plain(numbers)
    return [None if code != code else categories[int(code)] for code in numbers]


def _plain(values: Iterable[object]) -> list[object]:
    """Python's own objects, so that values that are the same are equal: 3 and 3.0."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    return [
        None if is_missing(value) else int(value) if isinstance(value, float) and value.is_integer() else value
        for value in plain
    ]


def _digest(values: Matrix, codes: Codes) -> str:
    parts = (values.data, values.indices, values.indptr) if is_sparse(values) else (values,)
    hashed = hashlib.blake2b(codes.tobytes(), digest_size=16)
    for part in parts:
        hashed.update(np.ascontiguousarray(part).view(np.uint8).data)
    return hashed.hexdigest()

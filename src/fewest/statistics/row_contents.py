"""Hashes of the contents of rows, and rows that are kept with their hashes: what samples are drawn by."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from fewest._core import add_row_contents
from fewest.arrays import Codes, Floats, Hashes, Indices, Integers
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix, is_sparse
from fewest.statistics.prepared_rows import splitmix64
from fewest.threads import thread_count

#: Hashes of the categories of a column of text, in order of their codes: at least as many as are asked for.
CategoryHashes = Callable[[int, int], Hashes]

_SHIFT = np.uint64(29)
_MISSING = np.uint64(0x7FF8)
_NAN = np.array([np.nan]).view(np.uint64)[0]


@dataclass(frozen=True, eq=False)
class ContentHash:
    """A hash of the values of a row: equal rows have the same in any file, order of rows and width of floats.

    Cost: one multiplication a value.

    column_keys : a number for each column
    categories : hashes of the categories of columns of text, whose codes depend on the order of the rows
    """

    column_keys: Hashes
    categories: CategoryHashes | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "column_keys", self.column_keys | np.uint64(1))

    def of(self, values: Matrix, categorical_columns: Collection[int]) -> Hashes:
        """Return a hash of each row, dense or CSR; categorical_columns : the columns that hold codes of text."""
        return splitmix64(self.sums(values, categorical_columns))

    def sums(
        self, values: Matrix, categorical_columns: Collection[int], columns: Sequence[int] | None = None
    ) -> Hashes:
        """Return what some columns add to the hash of each row, of which splitmix64 of the sum over all is the hash.

        columns : which columns these are; None for all
        """
        keys = self.column_keys if columns is None else self.column_keys[np.asarray(columns, dtype=np.intp)]
        if is_sparse(values):
            return _sparse_sums(values, keys)
        sums = np.zeros(values.shape[0], dtype=np.uint64)
        texts = set() if self.categories is None else set(categorical_columns)
        is_number = np.ones(len(keys), dtype=bool)
        is_number[list(texts)] = False
        is_float = values.dtype in (np.float32, np.float64)
        floats: Floats = np.asarray(values) if is_float else np.asarray(values, dtype=np.float64)
        add_row_contents(floats, keys, is_number, sums, thread_count())
        for position in texts:
            number = position if columns is None else columns[position]
            sums += self._of_categories(number, np.asarray(values[:, position], dtype=np.float64)) * keys[position]
        return sums

    def _of_categories(self, column: int, codes: Floats) -> Hashes:
        assert self.categories is not None
        is_missing = codes != codes
        has_missing = bool(is_missing.any())
        indices = (np.where(is_missing, 0, codes) if has_missing else codes).astype(np.intp)
        known = self.categories(column, int(indices.max(initial=0)) + 1)
        if len(known) == 0:
            return np.full(len(codes), _MISSING)
        return np.where(is_missing, _MISSING, known[indices]) if has_missing else known[indices]


def _sparse_sums(values: sparse.csr_array, keys: Hashes) -> Hashes:
    parts = _mixed_bits(values.data.astype(np.float64)) * keys[values.indices]
    # A sum modulo 2**64 over each row: differences of running sums.
    totals = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(parts, dtype=np.uint64)])
    sums: Hashes = totals[values.indptr[1:]] - totals[values.indptr[:-1]]
    return sums


def _mixed_bits(values: Floats) -> Hashes:
    """Numbers as they are stored, with one zero and one NaN, the low bits filled: whole numbers have none."""
    plain = values + 0.0
    bits: Hashes = plain.view(np.uint64)
    is_missing = plain != plain
    if is_missing.any():
        bits[is_missing] = _NAN
    return bits ^ (bits >> _SHIFT)


class SourceCategories:
    """Hashes of the categories of the text columns of a source, made when they are first met."""

    def __init__(self, source: Source, names: Sequence[str]) -> None:
        self._source: Source | None = source
        self._names = names
        self._known: dict[int, Hashes] = {}

    def __call__(self, column: int, n_categories: int) -> Hashes:
        known = self._known.get(column, np.zeros(0, dtype=np.uint64))
        if len(known) < n_categories and self._source is not None:
            values = self._source.categories_of(self._names[column]) or ()
            known = self._known[column] = np.concatenate([known, text_hashes(values[len(known) :])])
        return known

    def __getstate__(self) -> dict[str, object]:
        """What travels to a worker of an engine: the hashes, which are all known there, without the source."""
        if self._source is not None:
            texts = set(self._source.text_columns)
            for column, name in enumerate(self._names):
                if name in texts:
                    self(column, len(self._source.categories_of(name) or ()))
        return {"_source": None, "_names": (), "_known": self._known}


@dataclass(frozen=True, eq=False)
class RowPart:
    """Some rows that are kept.

    values : dense or CSR, NaN where a value is missing
    codes, counts, row_numbers : the class of each row, the number of its copies, and which row of the source it is
    hashes : a hash of each row, where known
    weights : the weight of each row; None where it is one
    """

    values: Matrix
    codes: Codes
    counts: Integers
    row_numbers: Indices
    hashes: Hashes | None = None
    weights: Floats | None = None

    def take(self, rows: Indices | slice) -> RowPart:
        """Return some of the rows."""
        return RowPart(
            self.values[rows],
            self.codes[rows],
            self.counts[rows],
            self.row_numbers[rows],
            None if self.hashes is None else self.hashes[rows],
            None if self.weights is None else self.weights[rows],
        )

    def with_hashes(self, hashes: Hashes) -> RowPart:
        """Return the same with these hashes."""
        return replace(self, hashes=hashes)

    def with_codes(self, codes: Codes) -> RowPart:
        """Return the same with other codes of classes."""
        return replace(self, codes=codes)


def join_parts(parts: Sequence[RowPart]) -> RowPart:
    """Return the rows of all parts as one; hashes where all have them, weights where any has."""
    if len(parts) == 1:
        return parts[0]
    values = [part.values for part in parts]
    hashes = [part.hashes for part in parts if part.hashes is not None]
    weights = [np.ones(len(part.codes)) if part.weights is None else part.weights for part in parts]
    return RowPart(
        sparse.vstack(values, format="csr") if is_sparse(values[0]) else np.concatenate(values),
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.row_numbers for part in parts]),
        np.concatenate(hashes) if len(hashes) == len(parts) else None,
        None if all(part.weights is None for part in parts) else np.concatenate(weights),
    )


def text_hashes(values: Sequence[object]) -> Hashes:
    """Return numbers that depend on the texts of the values alone."""
    texts = [str(value).encode(errors="surrogatepass") for value in values]
    low = np.fromiter(map(zlib.crc32, texts), dtype=np.uint64, count=len(texts))
    high = np.fromiter(map(zlib.adler32, texts), dtype=np.uint64, count=len(texts))
    return splitmix64(low ^ (high << np.uint64(32)))

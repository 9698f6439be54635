"""All rows, stored as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.arrays import Codes, Floats, Indices, Integers
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.data.sparse_matrix import Matrix
from fewest.memory import STORED_ROWS, check_stored_rows
from fewest.statistics.class_moments import WithMoments


class _Chunk(NamedTuple):
    """Rows as they came; where they are borrowed others hold the same values, and may come to write to them."""

    #: A dense array or a sparse matrix, of float32 or float64.
    values: Any
    codes: Codes
    weights: Floats
    is_borrowed: bool

    def owned(self) -> _Chunk:
        if not self.is_borrowed:
            return self
        return self._replace(values=self.values.copy(), weights=self.weights.copy(), is_borrowed=False)


class Rows(WithMoments):
    """All rows, stored as they are: for what cannot be computed from sums over them.

    Chunks are put together when their values are first asked for. A single chunk of float64 in C order is never
    copied: do not write to it while the rows are in use. A row of weight zero is left out.
    Memory: the table as float64, sparse or not. Cost: one read of the rows.

    Parameters
    ----------
    max_bytes : int, default=4 GiB
        Rows that have to be copied may take this much.

    Attributes
    ----------
    moments : ClassMoments
        The moments of the same rows.
    values : array of shape (n_rows, n_features)
        float64 in C order, missing values as NaN; not to be written to.
    codes, weights : arrays of shape (n_rows,)
        The class of each row, as an index into classes, and its weight.
    categorical_columns : sequence of int
        The columns that hold codes of text or categories, whose order means nothing.

    See Also
    --------
    StratifiedRows : A sample of the rows of every class.

    Examples
    --------
    >>> from fewest import scan
    >>> from fewest.statistics import Rows
    >>> rows = scan("iris").collect(Rows())
    >>> rows.values.shape, rows.codes.shape
    ((150, 4), (150,))
    """

    is_columnwise = False
    takes_integers = False

    def __init__(self, max_bytes: int = STORED_ROWS) -> None:
        super().__init__()
        self.max_bytes = max_bytes
        self.categorical_columns: Sequence[int] = ()
        self._chunks: list[_Chunk] = []

    def limited_to(self, n_bytes: int) -> Rows:
        return Rows(n_bytes)

    @property
    def values(self) -> Floats:
        values: Floats = self._whole().values.view()
        values.flags.writeable = False
        return values

    @property
    def chunks(self) -> list[Matrix]:
        """The values in the chunks in which they came: float32 or float64, with any strides, or sparse."""
        return [chunk.values for chunk in self._chunks if len(chunk.codes)]

    @property
    def dense_chunks(self) -> list[Floats | NDArray[np.float32]]:
        """The same, none of them sparse."""
        stored = [chunk.values for chunk in self._chunks if len(chunk.codes)]
        return [values.toarray() if sparse.issparse(values) else values for values in stored]

    @property
    def codes(self) -> Codes:
        if len(self._chunks) == 1:
            return self._chunks[0].codes
        return np.concatenate([np.empty(0, dtype=np.int32), *(chunk.codes for chunk in self._chunks)])

    @property
    def weights(self) -> Floats:
        if len(self._chunks) == 1:
            return self._chunks[0].weights
        return np.concatenate([np.empty(0), *(chunk.weights for chunk in self._chunks)])

    def empty(self) -> Self:
        empty = type(self)()
        empty.max_bytes = self.max_bytes
        return empty

    def update(self, block: Block) -> None:
        """Add the rows of a block; one error names the first infinite value."""
        self.moments.update(block)
        self.categorical_columns = block.categorical_columns
        if block.weights is not None and not block.weights.all():
            block = block.take(np.flatnonzero(block.weights))
        if self._chunks or not _is_plain(block.values):
            self.check_size(self.n_rows, self.n_features)
        codes = self.class_indices(block.classes)[block.codes]
        # Rows that were taken out of others are a copy already.
        self._chunks.append(_Chunk(block.values, codes, block.row_weights, is_borrowed=block.row_numbers is None))

    def merge(self, other: Self) -> None:
        # Whoever merges comes back with more rows, perhaps in the same array: so these are copied while they last.
        added = [chunk.owned() for chunk in other._chunks]
        self.moments.merge(other.moments)
        self.check_size(self.n_rows, self.n_features)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        indices = self.class_indices(other.classes)
        self._chunks += [chunk._replace(codes=indices[chunk.codes]) for chunk in added]

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.moments = parts[0].moments.join([part.moments for part in parts])
        values = np.hstack([part.values for part in parts])
        joined._chunks = [_Chunk(values, parts[0].codes, parts[0].weights, is_borrowed=False)]
        return joined

    def canonical_order(self, columns: Sequence[int] | None = None) -> Indices:
        """An order of the rows that does not depend on the one they came in: by class, by values, then by weight.

        columns : which values to go by, the first of them first; all by default
        """
        rank_of_class = np.empty(len(self.classes), dtype=np.int64)
        rank_of_class[sort_classes(self.classes)] = np.arange(len(self.classes))
        ranks: Integers = rank_of_class[self.codes]
        by = range(self.n_features) if columns is None else columns
        for column in (*(self.values[:, c] for c in by), self.weights):
            distinct, rank = np.unique(column, return_inverse=True)
            so_far, ranks = np.unique(ranks * len(distinct) + rank, return_inverse=True)
            if len(so_far) == self.n_rows:
                break
        return np.argsort(ranks, kind="stable")

    def check_size(self, n_rows: int, n_columns: int) -> None:
        check_stored_rows(n_rows, n_columns, 8.0 * n_rows * n_columns, self.max_bytes)

    def _whole(self) -> _Chunk:
        """All chunks as one, which is then the only one."""
        if len(self._chunks) != 1 or not _is_plain(self._chunks[0].values):
            values = np.empty((self.n_rows, self.n_features))
            end = 0
            for chunk in self._chunks:
                if len(chunk.codes) == 0:
                    continue  # from before the number of columns was known
                part = values[end : (end := end + len(chunk.codes))]
                if sparse.issparse(chunk.values):
                    chunk.values.astype(np.float64).toarray(out=part)
                else:
                    part[...] = chunk.values
            self._chunks = [_Chunk(values, self.codes, self.weights, is_borrowed=False)]
        return self._chunks[0]


class NumberedRows(Rows):
    """All rows, and which of the rows of the source they are: for folds that are given as row numbers.

    Attributes
    ----------
    row_numbers : array of shape (n_rows,)
        The number of rows of the source before each, those of weight zero, which are not stored, among them.
    source_codes : array of int
        The class of every row of the source.
    """

    def __init__(self) -> None:
        super().__init__()
        self.row_numbers: Indices = np.empty(0, dtype=np.intp)
        self.source_codes: Codes = np.empty(0, dtype=np.int32)

    def update(self, block: Block) -> None:
        super().update(block)
        self._number(np.flatnonzero(block.row_weights), self.class_indices(block.classes)[block.codes])

    def merge(self, other: Self) -> None:
        super().merge(other)
        self._number(other.row_numbers, self.class_indices(other.classes)[other.source_codes])

    def _number(self, stored: Indices, codes: Codes) -> None:
        self.row_numbers = np.concatenate([self.row_numbers, len(self.source_codes) + stored])
        self.source_codes = np.concatenate([self.source_codes, codes])


def as_csc(chunks: Sequence[sparse.csr_array]) -> sparse.csc_array:
    """Chunks of sparse rows as one matrix of float64 by column, each value stored once."""
    whole = chunks[0] if len(chunks) == 1 else sparse.vstack(chunks)
    csc = whole.tocsc()
    if not csc.has_canonical_format:
        csc = csc.copy() if csc is whole else csc
        csc.sum_duplicates()
    return csc if csc.dtype == np.float64 else csc.astype(np.float64)


def _is_plain(values: Matrix) -> bool:
    return not sparse.issparse(values) and values.dtype == np.float64 and bool(values.flags.c_contiguous)

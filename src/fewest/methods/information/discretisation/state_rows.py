"""All rows, kept for counting: a byte a value wherever that is enough."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Floats, Indices, Integers, Mask
from fewest.data.block import Block
from fewest.errors import InvalidInput, TooManyRows
from fewest.methods.information.discretisation.byte_table import MISSING_BYTE, NO_VALUE, WIDEST, ByteTable
from fewest.methods.information.discretisation.few_values import FewValues
from fewest.methods.information.discretisation.repetitions import repetitions
from fewest.methods.information.discretisation.value_counts import ValueCounts, of_column
from fewest.statistics.class_moments import ClassMoments, fingerprint_of
from fewest.statistics.with_moments import WithMoments

#: Rows that come in parts, and are not held by anybody else, may take this much.
_MEMORY = 4 << 30


class StatePiece(NamedTuple):
    """Some rows: the columns that fit bytes, and the values of those that do not.

    values : rows by other columns, float or sparse; somebody else may hold them too, and may come to write to them,
        where they are borrowed
    codes, weights : the class and the weight of each row
    """

    table: ByteTable | None
    values: Any
    codes: Codes
    weights: Floats
    is_borrowed: bool

    @property
    def n_bytes(self) -> int:
        """What these rows take."""
        of_values: int = self.values.data.nbytes if sparse.issparse(self.values) else self.values.nbytes
        return of_values + (0 if self.table is None else self.table.codes.nbytes)

    def owned(self) -> StatePiece:
        if not self.is_borrowed:
            return self
        return self._replace(values=self.values.copy(), weights=self.weights.copy(), is_borrowed=False)

    def repeated(self) -> StatePiece:
        """Each row as often as its weight says, each of weight one."""
        times = self.weights.astype(np.intp)
        rows = np.repeat(np.arange(len(times)), times)
        table = self.table
        if table is not None:
            codes = np.take(table.codes, rows, axis=1)
            missing = np.count_nonzero(codes == MISSING_BYTE, axis=1)
            table = table._replace(codes=codes, missing=np.where(table.is_whole, missing, 0))
        return StatePiece(table, self.values[rows], self.codes[rows], np.ones(len(rows)), is_borrowed=False)

    def with_others(self, before: Indices, others: Indices) -> StatePiece:
        """The same rows where these columns, more than before, do not count as bytes."""
        if self.table is None or len(before) == len(others):
            return self
        values = self.table.numbers(others)
        values[:, np.searchsorted(others, before)] = self.values
        return self._replace(values=values, is_borrowed=False)


class CategoricalRows(WithMoments):
    """All rows, for criteria that count how often values meet: a byte a value where a column holds close whole numbers
    (fewer than 254 from the lowest to the highest) and gaps, as it is otherwise.

    A block of an array in memory is not copied; do not write to it while the rows are in use. A row of weight zero is
    left out.

    Memory: a byte a value, and what columns of other numbers take; at most max_bytes for rows that come in parts. Cost:
    one read of the rows.

    Attributes
    ----------
    others : the columns that do not fit bytes, ascending
    moments : ClassMoments of these alone
    extent, byte_counts, few_values, values_of : what can be told of columns without looking at their rows
    pieces : the rows, as they came
    categorical_columns : the columns that hold codes of text or categories, whose order means nothing
    """

    is_columnwise = False
    takes_integers = True

    def __init__(self, max_bytes: int = _MEMORY) -> None:
        super().__init__()
        self.max_bytes = max_bytes
        self.categorical_columns: Sequence[int] = ()
        self.others: Indices = np.empty(0, dtype=np.intp)
        self.pieces: list[StatePiece] = []
        self._n_features = 0

    def limited_to(self, n_bytes: int) -> CategoricalRows:
        return CategoricalRows(n_bytes)

    @property
    def extent(self) -> tuple[Integers, Integers]:
        """The lowest and the highest value of each column that fits bytes; see ByteTable where there is none."""
        lowest, highest = np.full(self.n_features, NO_VALUE), np.full(self.n_features, -NO_VALUE)
        for table in self.tables():
            of_table = table.extent()
            lowest, highest = np.minimum(lowest, of_table[0]), np.maximum(highest, of_table[1])
        return lowest, highest

    @property
    def n_features(self) -> int:
        return self._n_features

    @property
    def class_weights(self) -> Floats:
        """How many rows each class has, a row of weight 2 being two."""
        return np.bincount(self.codes, self.weights, len(self.classes)).astype(np.float64)

    @property
    def codes(self) -> Codes:
        """The class of each row, as an index into classes."""
        return np.concatenate([np.empty(0, dtype=np.int32), *(piece.codes for piece in self.pieces)])

    @property
    def weights(self) -> Floats:
        return np.concatenate([np.empty(0), *(piece.weights for piece in self.pieces)])

    @property
    def missing(self) -> Integers:
        """How many values of each column are missing."""
        missing = sum((t.missing for t in self.tables()), start=np.zeros(self.n_features, dtype=np.int64))
        missing[self.others] = self.moments.missing
        return missing

    @property
    def is_observed(self) -> Mask:
        """Which columns hold a value at all."""
        is_observed: Mask = self.missing < self.n_rows
        return is_observed

    def moments_of_others(self) -> ClassMoments:
        return self.moments

    def tables(self) -> list[ByteTable]:
        """The columns that fit bytes, a run of rows at a time; empty where none does."""
        return [piece.table for piece in self.pieces if piece.table is not None]

    def byte_counts(self, columns: Indices) -> Integers:
        """How many rows hold each whole number from the lowest on, of columns that fit bytes: columns by 256."""
        lowest = self.extent[0][columns]
        counts = np.zeros((len(columns), 256), dtype=np.int64)
        for table in self.tables() if len(columns) else ():
            counts += table.counts(columns, lowest)
        return counts

    def few_values(self, most: int) -> FewValues:
        """The distinct values of the others, where they are few and whole."""
        found = FewValues.none(len(self.others), most)
        for piece in self.pieces:
            if len(piece.codes):
                found = found.with_those_of(FewValues.of(piece.values, most))
        return found

    def values_of(self, place: int) -> ValueCounts:
        """All distinct values of one of the others."""
        return of_column(np.concatenate([piece.values[:, place] for piece in self.pieces]))

    def fingerprint(self) -> str:
        checksums = sum((t.checksums for t in self.tables()), start=np.zeros(self.n_features, dtype=np.uint64))
        checksums[self.others] = self.moments.checksums
        return fingerprint_of(checksums, self.missing, self.counts_by_class())

    def empty(self) -> Self:
        return type(self)(self.max_bytes)

    def update(self, block: Block) -> None:
        """Add the rows of a block; one error names the first infinite value."""
        self._widen(block.values.shape[1])
        self.categorical_columns = block.categorical_columns
        if block.weights is not None and not block.weights.all():
            block = block.take(np.flatnonzero(block.weights))
        table = None
        if not sparse.issparse(block.values):
            table = ByteTable.of(block.values, block.codes, self.moments.keys_of(block.classes))
        self._let_go(np.arange(self.n_features) if table is None else np.flatnonzero(~table.is_whole))
        are_all = len(self.others) == self.n_features
        numbers = (block if are_all else block.only(self.others)).as_floats()
        self.moments.update(numbers)
        # What was chosen or converted is a copy already.
        is_borrowed = numbers.values is block.values and block.row_numbers is None
        weights = np.ones(block.n_rows) if block.weights is None else block.weights
        codes = self.class_indices(block.classes)[block.codes]
        self.pieces.append(StatePiece(None if are_all else table, numbers.values, codes, weights, is_borrowed))
        self._let_go_of_wide()
        self._check_room(self.max_bytes)

    def merge(self, other: Self) -> None:
        if not other.pieces:
            self.moments.merge(other.moments)
            return
        # Whoever merges comes back with more rows, perhaps in the same array: so these are copied while they last.
        theirs = copy(other)
        theirs.pieces = [piece.owned() for piece in other.pieces]
        self._widen(other.n_features)
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        self._let_go(theirs.others)
        theirs._let_go(self.others)
        self.moments.merge(theirs.moments)
        places = self.class_indices(other.classes)
        self.pieces += [piece._replace(codes=places[piece.codes]) for piece in theirs.pieces]
        self._let_go_of_wide()
        self._check_room(_MEMORY)

    def repeated(self) -> Self:
        """Each row as often as its weight says; raises where that is no whole number."""
        if repetitions(self.weights) is None:
            return self
        again = copy(self)
        again.pieces = [piece.repeated() for piece in self.pieces]
        again.moments = ClassMoments()
        for piece in again.pieces:
            again.moments.update(Block(piece.values, piece.codes, self.classes))
        return again

    def _widen(self, n_features: int) -> None:
        """Learn the number of columns from the first rows; raise where later ones have another."""
        if self.pieces and n_features != self.n_features:
            raise InvalidInput(f"Rows of {self.n_features} and of {n_features} columns cannot be put together.")
        self._n_features = n_features

    def _let_go(self, columns: Indices) -> None:
        """Count these columns among the others, from the first row on."""
        before, self.others = self.others, np.union1d(self.others, columns).astype(np.intp)
        if not self.pieces or len(before) == len(self.others):
            return
        pieces = [piece.with_others(before, self.others) for piece in self.pieces]
        are_all = len(self.others) == self.n_features
        self.pieces = [piece._replace(table=None) if are_all else piece for piece in pieces]
        classes = self.classes
        self.moments = ClassMoments()
        for piece in self.pieces:
            self.moments.update(Block(piece.values, piece.codes, classes, piece.weights))

    def _let_go_of_wide(self) -> None:
        """Columns that fit bytes in every run of rows may not do so over all of them."""
        if len(self.tables()) > 1:
            lowest, highest = self.extent
            is_wide = highest - lowest >= WIDEST
            is_wide[self.others] = False
            self._let_go(np.flatnonzero(is_wide))

    def _check_room(self, max_bytes: int) -> None:
        """Raise where rows that came in parts take more; a table that came as a whole was there already."""
        n_bytes = sum(piece.n_bytes for piece in self.pieces)
        if len(self.pieces) > 1 and n_bytes > max_bytes:
            raise TooManyRows(
                f"This method keeps the rows, and {self.n_rows:,} of {self.n_features:,} columns take "
                f"{n_bytes / 2**30:.1f} GiB; {max_bytes / 2**30:.1f} GiB are allowed. Choose columns first, such as by "
                "FisherMarkov(n_features=1000), or give fewer rows."
            )

"""All rows, kept as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from fewest.arrays import Codes, Floats, Indices, Integers
from fewest.data.block import Block
from fewest.data.labels import sort_classes
from fewest.errors import TooManyRows
from fewest.statistics.class_moments import WithMoments

#: Rows that have to be copied may take this much as float64.
_MEMORY = 4 << 30


class _Piece(NamedTuple):
    """Rows as they came; others may hold the same values, and may come to write to them, where they are borrowed."""

    values: Any
    codes: Codes
    weights: Floats
    is_borrowed: bool

    def owned(self) -> _Piece:
        if not self.is_borrowed:
            return self
        return self._replace(values=self.values.copy(), weights=self.weights.copy(), is_borrowed=False)


class Rows(WithMoments):
    """All rows, kept as they are: for what cannot be told from sums over them.

    Blocks are put together when their values are first asked for. A single block of float64 in C order is never
    copied, so the rows of an array in memory take no second place; do not write to it while they are in use.
    A row of weight zero is left out.

    Memory: the table as float64, sparse or not. Cost: one read of the rows.

    Attributes
    ----------
    moments : ClassMoments of the same rows
    values : (n_rows, n_features) float64 in C order, missing values as NaN; not to be written to
    codes : (n_rows,) the class of each row, as an index into classes
    weights : (n_rows,) the weight of each row
    """

    is_columnwise = False
    takes_integers = False

    def __init__(self, most_bytes: int = _MEMORY) -> None:
        super().__init__()
        self.most_bytes = most_bytes
        #: The columns that hold codes of text or categories, whose order means nothing.
        self.categorical_columns: Sequence[int] = ()
        self._pieces: list[_Piece] = []

    def limited_to(self, n_bytes: int) -> Rows:
        return Rows(n_bytes)

    @property
    def values(self) -> Floats:
        values: Floats = self._whole().values.view()
        values.flags.writeable = False
        return values

    @property
    def runs(self) -> list[Any]:
        """The same a run of rows at a time, as they came: float32 or float64, with any strides, or sparse."""
        return [piece.values for piece in self._pieces if len(piece.codes)]

    @property
    def pieces(self) -> list[Any]:
        """The same, none of them sparse."""
        return [run.toarray() if sparse.issparse(run) else run for run in self.runs]

    @property
    def codes(self) -> Codes:
        if len(self._pieces) == 1:
            return self._pieces[0].codes
        return np.concatenate([np.empty(0, dtype=np.int32), *(piece.codes for piece in self._pieces)])

    @property
    def weights(self) -> Floats:
        if len(self._pieces) == 1:
            return self._pieces[0].weights
        return np.concatenate([np.empty(0), *(piece.weights for piece in self._pieces)])

    def empty(self) -> Self:
        empty = type(self)()
        empty.most_bytes = self.most_bytes
        return empty

    def update(self, block: Block) -> None:
        """Add the rows of a block; one error names the first infinite value."""
        self.moments.update(block)
        self.categorical_columns = block.categorical_columns
        if block.weights is not None and not block.weights.all():
            block = block.take(np.flatnonzero(block.weights))
        weights = np.ones(block.n_rows) if block.weights is None else block.weights
        # Rows that were taken out of others are a copy already.
        is_borrowed = block.row_numbers is None
        if self._pieces or not _is_plain(block.values):
            self._check_room()
        self._pieces.append(_Piece(block.values, self.class_indices(block.classes)[block.codes], weights, is_borrowed))

    def merge(self, other: Self) -> None:
        # Whoever merges comes back with more rows, perhaps in the same array: so these are copied while they last.
        added = [piece.owned() for piece in other._pieces]
        self.moments.merge(other.moments)
        self._check_room()
        self.categorical_columns = other.categorical_columns or self.categorical_columns
        places = self.class_indices(other.classes)
        self._pieces += [piece._replace(codes=places[piece.codes]) for piece in added]

    def join(self, parts: Sequence[Self]) -> Self:
        joined = self.empty()
        joined.moments = parts[0].moments.join([part.moments for part in parts])
        values = np.hstack([part.values for part in parts])
        joined._pieces = [_Piece(values, parts[0].codes, parts[0].weights, is_borrowed=False)]
        return joined

    def canonical_order(self, columns: Sequence[int] | None = None) -> Indices:
        """An order of the rows that does not depend on the one they came in: by class, by values, then by weight.

        columns : which values to go by, the first of them first; all by default

        Rows that are alike in all of these may stand in any order.
        """
        rank_of_class = np.empty(len(self.classes), dtype=np.int64)
        rank_of_class[sort_classes(self.classes)] = np.arange(len(self.classes))
        place: Integers = rank_of_class[self.codes]
        by = range(self.n_features) if columns is None else columns
        for column in (*(self.values[:, c] for c in by), self.weights):
            distinct, rank = np.unique(column, return_inverse=True)
            so_far, place = np.unique(place * len(distinct) + rank, return_inverse=True)
            if len(so_far) == self.n_rows:
                break
        return np.argsort(place, kind="stable")

    def _check_room(self) -> None:
        needed = 8 * self.n_rows * self.n_features
        if needed > self.most_bytes:
            raise TooManyRows(
                f"This method keeps the rows, and {self.n_rows:,} of {self.n_features:,} columns take "
                f"{needed / 2**30:.1f} GiB; {self.most_bytes / 2**30:.0f} GiB are allowed. Choose columns first, "
                "such as by FisherMarkov(n_features=1000), or give fewer rows."
            )

    def _whole(self) -> _Piece:
        """All pieces as one, which is then the only one."""
        if len(self._pieces) != 1 or not _is_plain(self._pieces[0].values):
            values = np.empty((self.n_rows, self.n_features))
            end = 0
            for piece in self._pieces:
                if len(piece.codes) == 0:
                    continue  # from before the number of columns was known
                place = values[end : (end := end + len(piece.codes))]
                if sparse.issparse(piece.values):
                    piece.values.astype(np.float64).toarray(out=place)
                else:
                    place[...] = piece.values
            self._pieces = [_Piece(values, self.codes, self.weights, is_borrowed=False)]
        return self._pieces[0]


class NumberedRows(Rows):
    """All rows, and which of the rows given they are: for folds that were given as numbers of rows.

    Attributes
    ----------
    places : (n_rows,) how many rows were given before each, those of weight zero, which are not kept, among them
    given_codes : the class of every row given
    """

    def __init__(self) -> None:
        super().__init__()
        self.places: Indices = np.empty(0, dtype=np.intp)
        self.given_codes: Codes = np.empty(0, dtype=np.int32)

    def update(self, block: Block) -> None:
        super().update(block)
        kept = np.arange(block.n_rows) if block.weights is None else np.flatnonzero(block.weights)
        self.places = np.concatenate([self.places, len(self.given_codes) + kept])
        self.given_codes = np.concatenate([self.given_codes, self.class_indices(block.classes)[block.codes]])

    def merge(self, other: Self) -> None:
        super().merge(other)
        self.places = np.concatenate([self.places, len(self.given_codes) + other.places])
        self.given_codes = np.concatenate([self.given_codes, self.class_indices(other.classes)[other.given_codes]])


def _is_plain(values: Any) -> bool:
    return not sparse.issparse(values) and values.dtype == np.float64 and bool(values.flags.c_contiguous)

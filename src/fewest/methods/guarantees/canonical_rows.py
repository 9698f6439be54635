"""All rows of a table in memory, rows and columns in an order that their contents decide."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest.arrays import Codes, Floats, Hashes, Indices, Mask
from fewest.data.block import Block
from fewest.data.retained import RetainedSource, retain
from fewest.data.source import Source
from fewest.data.sparse_matrix import Matrix, is_sparse
from fewest.display.formatting import counted
from fewest.errors import InvalidInput, TooManyRows
from fewest.memory import STORED_ROWS, STORED_ROWS_OF_STREAM, check_stored_rows
from fewest.selectors.collection import DataFacts, check_classes, note_many_classes, note_unobserved
from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.content_folds import group_codes
from fewest.statistics.prepared_rows import splitmix64
from fewest.statistics.row_hashes import hash_rows
from fewest.statistics.sampled_source import SampledSource

#: Values that are hashed at a time.
_AT_ONCE = 1 << 20
#: Rows that whole weights may stand for.
_MOST_REPETITIONS = 10_000_000


@dataclass(frozen=True)
class CanonicalRows:
    """The rows of a table, class by class and within a class by their contents; a row of weight 2 is there twice.

    Whatever is drawn by the position of a row, or by the order of the columns, depends on the contents of the table
    alone.

    source : where the rows come from, with the names of its columns
    values : the rows as they came
    order : of the rows, class by class
    codes, classes : the class of each row in that order, as an index into classes
    columns : the columns that are not constant, by their contents
    groups : the group of each row in that order; None where rows are on their own
    moments : of the rows, or where they are a sample of the sample
    facts : of the rows as they were given
    """

    source: Source
    values: Matrix
    order: Indices
    codes: Codes
    classes: Sequence[Hashable]
    columns: Indices
    groups: Codes | None
    moments: ClassMoments
    facts: DataFacts

    @classmethod
    def of(cls, source: Source, groups: object, what: str) -> CanonicalRows:
        """Read a source, with text as codes; raise where its rows are too many to keep.

        what : what needs whole weights, for an error
        """
        retained = _retained(source)
        moments = retained.collect(ClassMoments())
        check_classes(moments)
        facts = DataFacts.of(source.of_all if isinstance(source, SampledSource) else moments)
        rows = hash_rows(retained)
        blocks = [block for block in retained.blocks() if block.n_rows]
        weights = np.concatenate([block.row_weights for block in blocks])
        distinct = rows.order(0)
        order = np.repeat(distinct, _repetitions(weights[distinct], what))
        values = _stacked([block.values for block in blocks])
        varying = np.flatnonzero(_varies(moments))
        hashes = column_hashes(values, order, varying, set(_text_positions(retained)))
        return cls(
            source=retained,
            values=values,
            order=order,
            codes=rows.codes[order],
            classes=max((block.classes for block in blocks), key=len),
            columns=varying[np.argsort(hashes, kind="stable")],
            groups=None if groups is None else group_codes(groups, rows.row_numbers)[order],
            moments=moments,
            facts=facts,
        )

    @property
    def n_rows(self) -> int:
        return len(self.order)

    def notes(self, name_of: Callable[[int], str]) -> tuple[str, ...]:
        """Return notes, which are warnings too, on very many classes, columns without values, and constant columns."""
        notes = note_many_classes(self.moments) + note_unobserved(self.moments, name_of)
        n_constant = int(np.count_nonzero(self.moments.is_observed)) - len(self.columns)
        return (*notes, f"{counted(n_constant, 'constant column')} left out") if n_constant else notes

    def table(self, positions: Indices, columns: Indices) -> Matrix:
        """Return the values of some rows and columns, in these orders; a copy."""
        rows = self.order[positions]
        return self.values[rows][:, columns] if is_sparse(self.values) else self.values[np.ix_(rows, columns)]

    def rows(self, positions: Indices, columns: Indices) -> Source:
        """Return some rows, numbered anew, with some columns in this order, as a source."""
        block = Block(self.table(positions, columns), self.codes[positions], self.classes, is_all=True)
        return RetainedSource(self.source.only(columns.tolist()), [block])


def column_hashes(values: Matrix, order: Indices, columns: Indices, texts: set[int]) -> Hashes:
    """Return a hash of the contents of each of these columns, with the rows in this order, whatever the codes of text.

    Values count as float32 holds them, as they do for the hashes of rows.
    """
    keys = splitmix64(np.arange(len(order), dtype=np.uint64))
    hashes = np.zeros(len(columns), dtype=np.uint64)
    # Some rows at a time: to go through a large table once a column takes longer than once in all.
    height = max(1, _AT_ONCE // max(len(columns), 1))
    for first in range(0, len(order), height):
        part = slice(first, first + height)
        hashes += splitmix64(_bits(values[order[part]][:, columns]) + keys[part, None]).sum(axis=0, dtype=np.uint64)
    for position in [position for position, column in enumerate(columns.tolist()) if column in texts]:
        codes = _as_float32(values[:, columns[position : position + 1]])[order]
        bits = _bits(_by_appearance(codes[:, 0]))
        hashes[position] = splitmix64(bits + keys).sum(dtype=np.uint64)
    return splitmix64(hashes)


def _as_float32(values: Matrix) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return np.array(values.toarray() if is_sparse(values) else values, dtype=np.float32)


def _bits(values: Matrix) -> Hashes:
    """Return numbers as float32 stores them, with one zero and one NaN."""
    cells = _as_float32(values)
    cells[np.isnan(cells)] = np.nan
    return np.asarray((cells + np.float32(0.0)).view(np.uint32).astype(np.uint64))


def _by_appearance(codes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return codes numbered by the first row of each; missing ones stay missing."""
    _, first, which = np.unique(codes, return_index=True, return_inverse=True, equal_nan=True)
    ranks = np.empty(len(first), dtype=np.float32)
    ranks[np.argsort(first)] = np.arange(len(first), dtype=np.float32)
    return np.asarray(np.where(np.isnan(codes), np.float32(np.nan), ranks[which]))


def _retained(source: Source) -> RetainedSource:
    limit = STORED_ROWS_OF_STREAM if source.is_distributed else STORED_ROWS
    kept = retain(source, limit)
    if isinstance(kept, RetainedSource):
        return kept
    if source.n_rows is not None:
        check_stored_rows(source.n_rows, source.n_features, 8.0 * source.n_rows * source.n_features, limit)
    raise TooManyRows(
        "This method keeps the rows, and those of the stream take more memory than is allowed. Select on a sample of "
        "the rows by sample=10000 (--sample 10000)."
    )


def _repetitions(weights: Floats, what: str) -> Indices:
    """Return how often each row is there."""
    whole = np.rint(weights)
    if not np.array_equal(whole, weights) or whole.sum() > max(_MOST_REPETITIONS, len(weights)):
        raise InvalidInput(
            f"sample_weight must hold whole numbers, of at most {_MOST_REPETITIONS:,} in all, since {what}: a row of "
            "weight 2 is the row twice. Round the weights, or leave them out."
        )
    return np.asarray(whole, dtype=np.intp)


def _stacked(parts: list[Matrix]) -> Matrix:
    if any(is_sparse(part) for part in parts):
        return sparse.vstack([sparse.csr_matrix(part) for part in parts], format="csr")
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _varies(moments: ClassMoments) -> Mask:
    """Return which columns hold two values, or one in some rows and none in others."""
    return np.asarray((moments.highest > moments.lowest) | (moments.is_observed & (moments.missing > 0)))


def _text_positions(source: Source) -> list[int]:
    texts = set(source.text_columns)
    return [position for position, name in enumerate(source.feature_names or ()) if name in texts]

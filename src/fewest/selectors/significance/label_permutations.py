"""Permutations of the labels of rows, drawn by the contents of the rows: their order makes no difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fewest.arrays import Codes, Indices
from fewest.data.block import Block
from fewest.data.derived.relabelled_rows import RelabelledRows
from fewest.data.retained import RetainedSource, retain
from fewest.data.source import Source
from fewest.errors import InvalidInput
from fewest.memory import STORED_ROWS, STORED_ROWS_OF_STREAM, check_memory, size_text
from fewest.statistics.rescaled_source import RescaledSource
from fewest.statistics.row_hashes import hash_rows

#: Distinguishes these draws from others by the same seed.
_STREAM = 0x7065726D


class LabelPermutations:
    """The rows of a source, whose labels are permuted.

    A row whose weight is a whole number stands as often as that; of other weights each stays with its row.

    Parameters
    ----------
    kept : RetainedSource
        The rows as they were given; their contents decide what is drawn.
    readable : Source
        The same rows as a criterion reads them.
    seed : int
        The seed of the draws.

    Attributes
    ----------
    codes : array of shape (n_rows,)
        The class of each row, as an index into the classes of the last block.
    is_weighted : bool
        Whether rows have weights that are no whole numbers.
    is_repeated : bool
        Whether rows stand more or less often than once.
    order : array of shape (n_rows,)
        The rows by class, and by contents within it, a repeated one as often as it stands.
    """

    def __init__(self, kept: RetainedSource, readable: Source, seed: int) -> None:
        blocks = [block for block in readable.blocks() if block.n_rows]
        hashed = hash_rows(kept)
        weights = np.concatenate([block.row_weights for block in blocks])
        self.is_weighted = not np.array_equal(weights, np.rint(weights))
        counts = (weights > 0).astype(np.intp) if self.is_weighted else np.rint(weights).astype(np.intp)
        self._readable, self.seed = readable, seed
        self.is_repeated = not (counts == 1).all()
        self.blocks = _repeated(blocks, counts, self.is_weighted) if self.is_repeated else blocks
        self.codes: Codes = np.concatenate([block.codes for block in self.blocks])
        ends = np.cumsum(counts)
        order = hashed.order(seed)
        starts = np.repeat(ends[order] - counts[order], counts[order])
        within = np.arange(len(starts)) - np.repeat(np.cumsum(counts[order]) - counts[order], counts[order])
        self.order: Indices = starts + within
        self._draws = np.random.default_rng([seed % 2**64, _STREAM])

    @property
    def classes(self) -> Sequence[object]:
        """The labels that codes stand for."""
        return self.blocks[-1].classes

    @property
    def observed(self) -> RelabelledRows:
        """The rows with their own labels."""
        return self.relabelled(self.codes)

    def draw(self, n: int) -> Codes:
        """Return the next n permutations: (n, n_rows) the class of each row."""
        drawn = np.empty((n, len(self.codes)), dtype=np.int32)
        ordered = self.codes[self.order]
        for labels in drawn:
            labels[self.order] = self._draws.permutation(ordered)
        return drawn

    def relabelled(self, codes: Codes, blocks: Sequence[Block] | None = None) -> RelabelledRows:
        """Return the rows, as the criterion reads them or in these blocks, with these labels."""
        return RelabelledRows(self._readable, self.blocks if blocks is None else blocks, codes)


def permutable(source: Source) -> RetainedSource:
    """Return the source with its rows in memory; raise where they are too many to be kept."""
    kept = retain(source, STORED_ROWS if source.is_in_memory else STORED_ROWS_OF_STREAM)
    if isinstance(kept, RetainedSource):
        return kept
    raise InvalidInput(
        f"p-values by permuting the labels need all rows in memory, and those of this source take more than "
        f"{size_text(STORED_ROWS if source.is_in_memory else STORED_ROWS_OF_STREAM)}. Select on a sample of them "
        "(sample=10000), or by a method whose p-values have a formula: FisherScore, MaxRelevance, ChiSquare."
    )


def given_rows(source: Source) -> RetainedSource:
    """Return the rows as they were given, of a source whose extreme columns may be rescaled."""
    kept = source.source if isinstance(source, RescaledSource) else source
    assert isinstance(kept, RetainedSource)
    return kept


def _repeated(blocks: Sequence[Block], counts: Indices, is_weighted: bool) -> list[Block]:
    """Return the blocks with each row as often as counted; the weights are gone where they are counts."""
    n_values = float(counts.sum()) * blocks[0].values.shape[1]
    advice = "Use smaller weights, or a method whose p-values have a formula, such as FisherScore."
    check_memory(8 * n_values, STORED_ROWS, "Rows that stand as often as their weights say take", advice)
    repeated, start = [], 0
    for block in blocks:
        own = counts[start : (start := start + block.n_rows)]
        taken = block.take(np.repeat(np.arange(block.n_rows), own))
        repeated.append(replace(taken, is_all=len(blocks) == 1, weights=taken.weights if is_weighted else None))
    return [block for block in repeated if block.n_rows]

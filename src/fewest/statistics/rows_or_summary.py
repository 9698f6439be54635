"""Rows of a stream while they are few, and a summary of them where they turn out to be many, from one read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, Protocol, Self, TypeVar, runtime_checkable

from fewest.data.block import Block
from fewest.errors import TooManyRows
from fewest.protocols import Evidence

E = TypeVar("E", bound=Evidence)


@runtime_checkable
class GivesRows(Evidence, Protocol):
    """A statistic that keeps rows, in the blocks in which they came."""

    def kept_blocks(self) -> Iterable[Block]:
        """The rows that are kept, block by block."""


class RowsOrSummary(Generic[E]):
    """All rows; where these are more than fit, the summary of a first pass instead, of the rows kept so far too.

    rows : refuses more rows than fit; None once it has
    summary : of all rows; None while they fit
    """

    is_columnwise = False

    def __init__(self, rows: GivesRows, summary: E) -> None:
        self._empty_rows, self._empty_summary = rows, summary
        self.takes_integers = rows.takes_integers
        self.rows: GivesRows | None = rows.empty()
        self._summary: E | None = None
        self._n_blocks = 0

    @property
    def n_rows(self) -> int:
        return self.summary().n_rows if self.rows is None else self.rows.n_rows

    def counts_by_class(self) -> dict[str, int]:
        return self.summary().counts_by_class() if self.rows is None else self.rows.counts_by_class()

    def fingerprint(self) -> str:
        return self.summary().fingerprint() if self.rows is None else self.rows.fingerprint()

    def summary(self) -> E:
        """The summary of all rows, which are then no longer kept."""
        if self._summary is None:
            assert self.rows is not None
            self._summary = self._empty_summary.empty()
            # The last block may have been refused after it was added.
            for _, block in zip(range(self._n_blocks), self.rows.kept_blocks(), strict=False):
                self._summary.update(block)
            self.rows = None
        return self._summary

    def empty(self) -> Self:
        return type(self)(self._empty_rows, self._empty_summary)

    def update(self, block: Block) -> None:
        if self.rows is not None:
            try:
                self.rows.update(block)
                self._n_blocks += 1
                return
            except TooManyRows:
                self.summary()
        self.summary().update(block)

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Rows of a stream are added from the first to the last.")

    def join(self, parts: Sequence[Self]) -> Self:
        raise NotImplementedError("Rows are kept with all columns: is_columnwise is False.")

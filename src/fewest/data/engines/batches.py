"""Rows of anything that can be asked again for Arrow record batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fewest.arrays import Hashes
from fewest.data.block import Block
from fewest.data.column_choice import ReadingRequest
from fewest.data.column_kinds import EMPTY, PLAIN
from fewest.data.engines.repeatable_batches import RepeatableBatches, engine_errors
from fewest.data.files.arrow_batch import float_type, is_number, kind_of, validated
from fewest.data.files.arrow_kinds import find_readings
from fewest.data.files.record_batches import RecordBatches
from fewest.data.files.table_file import assign_roles
from fewest.data.frame import check_names
from fewest.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa


class BatchSource(RecordBatches):
    """Rows that are asked for anew in every pass, of which each must give the same rows in the same order.

    Memory: what the engine holds, and a batch of at most 32,768 rows or 16 MiB.

    batches : where the rows come from
    request : the parameters of scan; target and weight are names of columns
    """

    rows_at_once = 32768
    values_at_once = 1 << 21

    def __init__(self, batches: RepeatableBatches, request: ReadingRequest) -> None:
        self._engine, where = batches, batches.where
        with engine_errors(where):
            schema = batches.schema()
            self.n_rows = batches.count()
        names = check_names(schema.names, where)
        roles = assign_roles(names, request, where)
        self._types = dict(zip(names, schema.types, strict=True))
        types = {name: [self._types[name]] for name in names}
        readings = find_readings(types, roles, request, self._sample, where)
        super().__init__(where, roles, readings, request.drop_unlabelled, batches.columns_at_once)
        features = self.roles.features
        one_type = float_type([self._types[name] for name in features])
        self._dtype = one_type if batches.has_one_schema else np.dtype(np.float64)
        # Read in every pass: groups of columns have no other values in common that show the order of the rows.
        self._order_column = [name for name in features if self._readings.get(name, PLAIN) == PLAIN][:1]
        #: Shared by this source with text as codes.
        self._known = _KnownRows(where)

    def _batches(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        checked: pa.Schema | None = None
        with engine_errors(self._engine.where):
            for number, batch in enumerate(self._engine.batches(names, n_rows), start=1):
                if batch.schema is not checked and batch.schema != checked:
                    self._check_columns(batch.schema, names, f"batch {number} of {self._engine.where}")
                    checked = batch.schema
                yield from validated([batch.select(names)], self._engine.where)

    def _check_columns(self, schema: pa.Schema, names: list[str], batch: str) -> None:
        """Raise where a batch lacks a column, or has it of another kind; one without values may have any type."""
        found = dict(zip(check_names(schema.names, batch), schema.types, strict=True))
        for name in names:
            if name not in found:
                raise InvalidInput(f"Column {name!r} is not in {batch}. Give every batch the same columns.")
            kind, expected = kind_of(found[name]), kind_of(self._types[name])
            if kind not in (EMPTY, expected) and not (expected == EMPTY and is_number(kind)):
                what = f"{found[name]} in {batch}, but {self._types[name]} before"
                raise InvalidInput(f"Column {name!r} is {what}. Give it one type in all batches.")

    def _read(self, names: list[str]) -> Iterator[Block]:
        more = [name for name in self._order_column if name not in names]
        current = _PassSums([*names, *more], self._known)
        for block in super()._read([*names, *more]):
            current.add(block)
            yield replace(block, values=block.values[:, : len(names)]) if more else block
        current.finish()


@dataclass
class _KnownRows:
    """What earlier passes have shown of the rows: their number, and a sum over the values of each column."""

    where: str
    n_rows: int | None = None
    sums: dict[str, int] = field(default_factory=dict)

    def changed(self, what: str) -> InvalidInput:
        """The error for a pass that gives other rows."""
        return InvalidInput(
            f"{self.where} gave other rows, or the same in another order, when it was read again: {what}. Sort them by "
            "a key that no two share, or write them to a table or a Parquet file first."
        )


class _PassSums:
    """Sums over the values of a pass, each times a factor of its row's, by which a later pass is compared.

    Modulo 2^64, over the bits of the values: however the rows are cut into batches.
    """

    def __init__(self, names: list[str], known: _KnownRows) -> None:
        self._known = known
        self._held = ["the labels", "the weights", *(f"column {name!r}" for name in names)]
        self._sums: Hashes = np.zeros(len(self._held), dtype=np.uint64)
        self._n_rows = 0
        self._factors = np.random.Generator(np.random.PCG64(0))

    def add(self, block: Block) -> None:
        """Add the rows of a block; raises where they are more than there were."""
        self._n_rows += block.n_rows
        if self._known.n_rows is not None and self._n_rows > self._known.n_rows:
            raise self._known.changed(f"more than {self._known.n_rows:,} rows came")
        factors = self._factors.integers(2**64, size=block.n_rows, dtype=np.uint64)
        bits = block.values.T.view(f"u{block.values.itemsize}")
        sums = np.empty_like(self._sums)
        sums[0] = block.codes.astype(np.uint64) @ factors
        sums[1] = block.row_weights.view(np.uint64) @ factors
        sums[2:] = np.einsum("ij,j->i", bits.astype(np.uint64, copy=False), factors)
        self._sums += sums

    def finish(self) -> None:
        """Compare the pass with those before; raises where the rows are not the same."""
        known = self._known
        if known.n_rows is None:
            known.n_rows = self._n_rows
        elif known.n_rows != self._n_rows:
            raise known.changed(f"{self._n_rows:,} rows came, and {known.n_rows:,} before")
        for held, found in zip(self._held, self._sums.tolist(), strict=True):
            if known.sums.setdefault(held, found) != found:
                raise known.changed(f"other values in {held}")

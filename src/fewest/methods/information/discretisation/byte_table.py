"""Columns of close whole numbers, a byte a value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewest._core import byte_counts, room_for_bytes, to_bytes
from fewest.arrays import Codes, Floats, Hashes, Indices, Integers, Mask
from fewest.threads import thread_count

Bytes = NDArray[np.uint8]

MISSING_BYTE = 255
#: Whole numbers from the lowest to the highest, as far as a byte can tell them apart.
WIDEST = 254
#: The lowest value of a column without any; less of it the highest.
NO_VALUE = 1 << 40


class ByteTable(NamedTuple):
    """Columns of close whole numbers, a byte a value.

    codes : (n_features, n_rows) the value less its column's base; MISSING_BYTE where it is missing
    base : (n_features,) what a byte of 0 stands for
    lowest, highest_next : (n_features,) the lowest byte, and one more than the highest (0 where nothing was observed)
    is_whole : (n_features,) whether the column is there; of others nothing here is of use
    missing, checksums : (n_features,) as of ClassMoments
    """

    codes: Bytes
    base: Integers
    lowest: Bytes
    highest_next: Bytes
    is_whole: Mask
    missing: Integers
    checksums: Hashes

    @classmethod
    def of(
        cls,
        values: NDArray[Any],
        codes: Codes,
        keys: Hashes,
        base: Integers | None = None,
    ) -> ByteTable:
        """The bytes of these rows.

        codes, keys : the class of each row, and each class's factor in the checksums
        base : what a byte of 0 shall stand for in each column; found by the first rows by default
        """
        n_rows, n_columns = values.shape
        table = cls(
            room_for_bytes(n_columns, n_rows),
            np.empty(n_columns, dtype=np.int64) if base is None else base,
            np.empty(n_columns, dtype=np.uint8),
            np.empty(n_columns, dtype=np.uint8),
            np.empty(n_columns, dtype=bool),
            np.empty(n_columns, dtype=np.int64),
            np.empty(n_columns, dtype=np.uint64),
        )
        to_bytes(
            values, codes, keys, table.base, table.is_whole, table.lowest, table.highest_next, table.missing,
            table.checksums, table.codes, base is not None, thread_count(),
        )  # fmt: skip
        return table

    def numbers(self, columns: Indices) -> Floats:
        """These columns as they were, rows by columns."""
        codes = self.codes[columns].T
        return np.where(codes == MISSING_BYTE, np.nan, codes + self.base[columns].astype(np.float64))

    def extent(self) -> tuple[Integers, Integers]:
        """The lowest and the highest value of each column; NO_VALUE and less of it where there is none."""
        has_any = self.highest_next > 0
        lowest = np.where(has_any, self.base + self.lowest, NO_VALUE)
        highest = np.where(has_any, self.base + self.highest_next - 1, -NO_VALUE)
        return lowest, highest

    def counts(self, columns: Indices, lowest: Integers) -> Integers:
        """How many rows hold each whole number from these lowest ones on: columns by 256."""
        of_bytes = np.zeros((len(columns), 256), dtype=np.int64)
        byte_counts(self.codes, columns, of_bytes, thread_count())
        of_bytes[:, MISSING_BYTE] = 0
        return moved(of_bytes, self.base[columns] - lowest)


def moved(tables: NDArray[Any], by: Integers, filled_with: int = 0) -> NDArray[Any]:
    """Tables of 256 numbers, each moved to the right by so many places; what is moved out is dropped."""
    places = np.arange(256) - by[:, None]
    is_inside = (places >= 0) & (places < 256)
    return np.where(is_inside, np.take_along_axis(tables, np.clip(places, 0, 255), axis=1), filled_with)

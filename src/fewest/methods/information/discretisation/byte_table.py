"""Integer columns of a narrow range, a byte a value."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fewest._core import byte_counts, room_for_bytes, to_bytes
from fewest.arrays import Codes, Floats, Hashes, Indices, Integers, Mask
from fewest.threads import thread_count

Bytes = NDArray[np.uint8]
Numbers = TypeVar("Numbers", bound=np.number)

MISSING_BYTE = 255
#: The highest value less the lowest is below this in a column that fits bytes.
MAX_RANGE = 254
#: The lowest value of a column without any; the highest is minus this.
NO_VALUE = 1 << 40


class ByteTable(NamedTuple):
    """Integer columns of a narrow range, a byte a value.

    codes : (n_features, n_rows) the value less its column's base; MISSING_BYTE where it is missing
    base : (n_features,) the value that a byte of 0 stands for
    lowest, highest_next : (n_features,) the lowest byte, and one more than the highest (0 where nothing was observed)
    fits : (n_features,) whether the column fits bytes; of the others nothing here is of use
    missing, checksums : (n_features,) as in ClassMoments
    """

    codes: Bytes
    base: Integers
    lowest: Bytes
    highest_next: Bytes
    fits: Mask
    missing: Integers
    checksums: Hashes

    @classmethod
    def of(cls, values: NDArray[Any], codes: Codes, class_keys: Hashes, base: Integers | None = None) -> ByteTable:
        """Return the bytes of these rows.

        codes, class_keys : the class of each row, and each class's factor in the checksums
        base : the value that a byte of 0 stands for in each column; chosen by the first rows by default
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
            values, codes, class_keys, table.base, table.fits, table.lowest, table.highest_next, table.missing,
            table.checksums, table.codes, base is not None, thread_count(),
        )  # fmt: skip
        return table

    @classmethod
    def without_classes(cls, values: NDArray[Any], base: Integers | None = None) -> ByteTable:
        """Return the same where checksums are not needed."""
        return cls.of(values, np.zeros(len(values), dtype=np.int32), np.ones(1, dtype=np.uint64), base)

    def numbers(self, columns: Indices) -> Floats:
        """Return the values of these columns, rows by columns."""
        codes = self.codes[columns].T
        return np.where(codes == MISSING_BYTE, np.nan, codes + self.base[columns].astype(np.float64))

    def value_range(self) -> tuple[Integers, Integers]:
        """Return the lowest and the highest value of each column; NO_VALUE and -NO_VALUE where there is none."""
        has_any = self.highest_next > 0
        lowest = np.where(has_any, self.base + self.lowest, NO_VALUE)
        highest = np.where(has_any, self.base + self.highest_next - 1, -NO_VALUE)
        return lowest, highest

    def value_counts(self, columns: Indices, lowest: Integers) -> Integers:
        """Return the number of rows that hold each integer from these lowest ones on: columns by 256."""
        counts = np.zeros((len(columns), 256), dtype=np.int64)
        byte_counts(self.codes, columns, counts, thread_count())
        counts[:, MISSING_BYTE] = 0
        return shifted(counts, self.base[columns] - lowest)


def shifted(tables: NDArray[Numbers], by: Integers, fill: int = 0) -> NDArray[Numbers]:
    """Return each table of 256 numbers shifted to the right; what leaves it is dropped."""
    sources = np.arange(256) - by[:, None]
    is_inside = (sources >= 0) & (sources < 256)
    out: NDArray[Numbers] = np.where(is_inside, np.take_along_axis(tables, np.clip(sources, 0, 255), axis=1), fill)
    return out

"""Rows of a pandas, polars or pyarrow table in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidInput
from fewest.protocols import Block, Source
from fewest.sources.target import Target

_BLOCK_BYTES = 1 << 25


class FrameSource(Source):
    """A table with named columns, with the class of each row. Numbers and booleans become floats a block at a time."""

    def __init__(self, frame: Any, target: Target) -> None:
        self.frame: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
        self.target = target
        target.check_length(len(self.frame))
        self.feature_names = check_names(self.frame.columns)
        self.n_features = len(self.feature_names)
        self.columns_at_once = max(self.n_features, 1)
        self.text_columns = [
            name for name, dtype in self.frame.schema.items() if not (dtype.is_numeric() or dtype == nw.Boolean)
        ]

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        codes, weights, kept = self.target.encode_all()
        frame = self.frame if columns is None else self.frame[:, [int(column) for column in columns]]
        step = max(1, _BLOCK_BYTES // (8 * max(len(frame.columns), 1)))
        for first in range(0, len(frame), step):
            rows = slice(first, min(first + step, len(frame)))
            block = Block(
                to_floats(frame[rows]),
                codes[rows],
                self.target.classes,
                None if weights is None else weights[rows],
                first_row=first,
                columns=columns,
            )
            yield block if kept is None else block.take(np.flatnonzero(kept[rows]))


def is_frame(data: Any) -> bool:
    """Whether this is a table in memory of a library that narwhals knows."""
    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def check_names(names: Sequence[Any], where: str = "The table") -> list[str]:
    """Column names as strings, each once."""
    as_text = [str(name) for name in names]
    seen: set[str] = set()
    twice = sorted({name for name in as_text if name in seen or seen.add(name)})  # type: ignore[func-returns-value]
    if twice:
        raise InvalidInput(
            f"{where} has more than one column named {', '.join(map(repr, twice[:5]))}. Rename them: a feature is "
            "reported by its name."
        )
    return as_text


def to_floats(frame: nw.DataFrame[Any]) -> NDArray[Any]:
    """The numbers of a frame, missing ones as NaN; float32 where every column is, otherwise float64."""
    values = frame.to_numpy()
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind in "biu":  # no missing value: they would have made it float or object
        return values.astype(np.float64)
    out = np.empty(frame.shape, dtype=np.float64, order="F")
    for position, column in enumerate(frame.iter_columns()):
        out[:, position] = column.cast(nw.Float64).to_numpy()
    return out

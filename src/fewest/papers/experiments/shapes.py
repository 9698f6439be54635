"""The rows, columns and classes of tables: whether ours are those of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fewest.papers.declarations import Run
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import Key, Measured, Measurement

ROWS, COLUMNS, CLASSES = "rows", "columns", "classes"


@dataclass(frozen=True)
class Shapes:
    """The characteristics of tables, by the paper's names."""

    data: Mapping[str, Table]

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for table in self.data.values() for name in table.stored))

    def measured_keys(self) -> list[Key]:
        return [(label, part) for label in self.data for part in (ROWS, COLUMNS, CLASSES)]

    def run(self, run: Run) -> Measured:
        cells: dict[Key, Measurement] = {}
        for label, table in self.data.items():
            data = table.load(run)
            counts = {ROWS: data.X.shape[0], COLUMNS: data.X.shape[1], CLASSES: len(np.unique(data.y))}
            for part, count in counts.items():
                cells[label, part] = Measurement((float(count),), float(count), float(count))
        return Measured(cells, "all rows")


def shapes(data: Mapping[str, Table]) -> tuple[Shapes, ...]:
    """One experiment a table, so that those that are not there are left out."""
    return tuple(Shapes({label: table}) for label, table in data.items())

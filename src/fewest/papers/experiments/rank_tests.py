"""Wilcoxon's test over the cells of other experiments, and over those that the paper prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fewest.papers.declarations import Experiment, Run
from fewest.papers.numbers import Key, Measured, Measurement, Number

PRINTED, CELLS, BY_TABLE = "the paper's cells", "our cells", "tables"


@dataclass(frozen=True)
class PrintedRanks:
    """Of the numbers that the paper prints: the p-value in percent of one method against each of the others.

    numbers : by keys that end with the method
    """

    numbers: Mapping[Key, Number]
    first: str
    others: tuple[str, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        return ()

    def measured_keys(self) -> list[Key]:
        return [(PRINTED, other) for other in self.others]

    def run(self, run: Run) -> Measured:
        values = {key: number.value for key, number in self.numbers.items()}
        cells: dict[Key, Measurement] = {(PRINTED, other): _p_value(values, self.first, other) for other in self.others}
        return Measured(cells, f"{len(values)} printed numbers")


@dataclass(frozen=True)
class MeasuredRanks:
    """The same of what experiments measure: over all cells, as if these were independent; and over tables, by the mean
    of their cells. Of keys the first part names the table, and the last the method."""

    experiments: tuple[Experiment, ...]
    first: str
    others: tuple[str, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for one in self.experiments for name in one.tables))

    def measured_keys(self) -> list[Key]:
        return [(over, other) for over in (CELLS, BY_TABLE) for other in self.others]

    def run(self, run: Run) -> Measured:
        found = [one.run(run) for one in self.experiments]
        # Experiments may measure the same cells in other ways.
        values = {(str(at), *key): cell.mean for at, one in enumerate(found) for key, cell in one.cells.items()}
        tables = sorted({key[:2] for key in values})
        means = {
            (*table, name): float(np.mean([value for key, value in values.items() if _is_of(key, table, name)]))
            for table in tables
            for name in (self.first, *self.others)
            if any(_is_of(key, table, name) for key in values)
        }
        cells: dict[Key, Measurement] = {(CELLS, other): _p_value(values, self.first, other) for other in self.others}
        cells |= {(BY_TABLE, other): _p_value(means, self.first, other) for other in self.others}
        return Measured(cells, f"{len(values)} cells of {len(tables)} tables; {Measured.merged(found).rows}")


def _is_of(key: Key, table: Key, name: str) -> bool:
    return key[:2] == table and key[-1] == name


def _p_value(values: Mapping[Key, float], first: str, other: str) -> Measurement:
    """The p-value in percent of Wilcoxon's signed-rank test, cells without a difference left out."""
    from scipy.stats import wilcoxon

    both = [key for key in values if key[-1] == first and (*key[:-1], other) in values]
    pairs = [(values[key], values[*key[:-1], other]) for key in both]
    differences = np.array([a - b for a, b in pairs if a != b])
    p = 100 * float(wilcoxon(differences, method="approx").pvalue) if len(differences) else 100.0
    return Measurement((p,), p, p)

"""What every method was measured to cost: time against rows, columns and classes, and memory."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

#: Written by benchmarks/scaling.py.
MEASUREMENTS = Path(__file__).with_suffix(".json")
#: The table of the first figure: rows and columns, of two classes.
REFERENCE = 1_000, 100
#: The columns of the tables along which rows were measured.
_COLUMNS_OF_ROWS = 50
#: An exponent is fitted to the largest of the sizes measured: small ones show what every call costs.
_N_FITTED = 3

#: Sizes with the processor time of each, in seconds.
Points = Sequence[tuple[int, float]]


@dataclass(frozen=True)
class MeasuredCost:
    """Processor time of a method with its defaults and 20 features, and its memory.

    seconds : on 1,000 × 100 of two classes
    rows, columns, classes : the sizes along which it was measured, with seconds
    memory : what a fit of 100,000 × 100 takes besides the table, as a multiple of the table
    sample : the rows of the sample that the memory was measured with; None: all rows
    """

    seconds: float
    rows: Points
    columns: Points
    classes: Points
    memory: float
    sample: int | None = None

    @property
    def time(self) -> str:
        """The time for the reference table, in words."""
        return f"{written_seconds(self.seconds)} for {REFERENCE[0]:,} × {REFERENCE[1]}"

    def forecast(self, n_rows: int, n_columns: int) -> float:
        """About what a fit takes, in seconds of processor time: as measured along rows, and linear in the columns."""
        size, seconds = self.rows[-1]
        return seconds * math.pow(n_rows / size, fitted_exponent(self.rows)) * n_columns / _COLUMNS_OF_ROWS

    def __str__(self) -> str:
        growth = " × ".join(
            f"{axis}^{exponent:.1f}"
            for axis in ("rows", "columns", "classes")
            if (exponent := fitted_exponent(getattr(self, axis))) >= 0.05
        )
        sample = f", with sample={self.sample}" if self.sample else ""
        memory = f"memory {self.memory:.1f} × a table of 100,000 × 100 besides it{sample}"
        return f"{self.time}, growing as {growth}; {memory}"


@cache
def measured_costs() -> dict[str, MeasuredCost]:
    """The measured cost of every method, by name."""
    stored: dict[str, dict[str, Any]] = json.loads(MEASUREMENTS.read_text("utf-8"))
    return {name: MeasuredCost(**of_method) for name, of_method in stored.items()}


def fitted_exponent(points: Points) -> float:
    """The slope of log time against log size, by least squares over the largest sizes."""
    sizes = [math.log(size) for size, _ in points[-_N_FITTED:]]
    times = [math.log(seconds) for _, seconds in points[-_N_FITTED:]]
    mean = sum(sizes) / len(sizes)
    return sum((x - mean) * t for x, t in zip(sizes, times, strict=True)) / sum((x - mean) ** 2 for x in sizes)


def written_seconds(seconds: float) -> str:
    """A duration with two digits."""
    if seconds >= 1:
        return f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s"
    return f"{1e3 * seconds:.2g} ms" if seconds < 0.1 else f"{1e3 * seconds:.0f} ms"

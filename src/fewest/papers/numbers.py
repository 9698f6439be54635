"""What a paper prints and what a rerun measures, under the same keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from fewest.errors import InvalidInput

#: What a number is of, from the outside in: ("sonar", "10 features", "NMMKL").
Key = tuple[str, ...]

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Number:
    """A number of a paper.

    value : in the unit of its item
    spread : what the paper states behind ±; None where it states none
    n_groups : of how many groups it is a share in percent; None where it is none
    is_read_off : whether it was read off a picture
    is_single : whether it is of one split, which ours are compared with one by one
    decimals : the digits that are printed behind the point; None where it is exact
    is_compared : False where it is shown alone, such as the seconds of another machine
    """

    value: float
    spread: float | None = None
    n_groups: int | None = None
    is_read_off: bool = False
    is_single: bool = False
    decimals: int | None = None
    is_compared: bool = True

    def __str__(self) -> str:
        spread = "" if self.spread is None else f" ± {self.spread:.2g}"
        value = f"{self.value:.4g}" if self.decimals is None else f"{self.value:.{self.decimals}f}"
        return f"{value}{spread}" + (" (read off)" if self.is_read_off else "")

    @property
    def rounding(self) -> float:
        """How far the number that was rounded may lie from the printed one."""
        return 0.0 if self.decimals is None else 0.5 * 10.0**-self.decimals


@dataclass(frozen=True)
class Measurement:
    """What a rerun measured for one key.

    values : one a resample or draw, in the order of the others of its experiment
    low, high : the 95 % interval of their mean
    honest : the mean without what the paper's protocol lets leak into the test rows; None where nothing leaks
    shared : the number of test rows by that of training rows, where resamples share rows; 0 where they share none
    """

    values: tuple[float, ...]
    low: float
    high: float
    honest: float | None = None
    shared: float = 0.0

    @property
    def mean(self) -> float:
        """The mean over the resamples."""
        return float(np.mean(self.values))

    @classmethod
    def of_shares(cls, found: Sequence[bool]) -> Measurement:
        """The share of independent draws, in percent, with Wilson's interval."""
        low, high = wilson(float(np.mean(found)), len(found))
        return cls(tuple(100.0 * one for one in found), 100 * low, 100 * high)

    @classmethod
    def of_resamples(
        cls, values: Sequence[float], shared: float, limits: tuple[float, float] = (0.0, 100.0),
        honest: float | None = None,
    ) -> Measurement:  # fmt: skip
        """The mean over resamples of one table, with the interval of the corrected t (Nadeau and Bengio)."""
        from scipy.special import stdtrit

        known = np.asarray(values, dtype=np.float64)
        reach = limits[1] - limits[0]
        if len(known) > 1:
            t = float(stdtrit(len(known) - 1, (1 + _CONFIDENCE) / 2))
            reach = t * float(known.std(ddof=1)) * math.sqrt(1 / len(known) + shared)
        mean = float(known.mean())
        low, high = max(mean - reach, limits[0]), min(mean + reach, limits[1])
        return cls(tuple(known.tolist()), low, high, honest, shared)


@dataclass(frozen=True)
class Measured:
    """What the experiments of an item found.

    cells : by key, in the order in which they are printed
    rows : the rows that were used, in words
    notes : what the reader has to know of this run
    """

    cells: Mapping[Key, Measurement]
    rows: str
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        cells = [{"key": list(key), **asdict(cell)} for key, cell in self.cells.items()]
        return {"cells": cells, "rows": self.rows, "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Measured:
        """Read what to_dict made."""
        cells = {}
        for cell in content["cells"]:
            own = {name: value for name, value in cell.items() if name != "key"}
            cells[tuple(cell["key"])] = Measurement(**{**own, "values": tuple(own["values"])})
        return cls(cells, content["rows"], tuple(content["notes"]))

    @classmethod
    def merged(cls, parts: Sequence[Measured]) -> Measured:
        """What several experiments found, together."""
        cells = {key: cell for part in parts for key, cell in part.cells.items()}
        rows = "; ".join(dict.fromkeys(part.rows for part in parts))
        return cls(cells, rows, tuple(dict.fromkeys(note for part in parts for note in part.notes)))


def wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n."""
    z = 1.959963984540054
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)


def numbers_of(
    text: str,
    *,
    prefix: Key = (),
    n_groups: int | None = None,
    is_count: bool = False,
    is_single: bool = False,
    is_compared: bool = True,
) -> dict[Key, Number]:
    """Read the numbers of a printed table: `|` between cells, labels in the first line and the first column.

    "93.9±1.9" has a spread, "4.67(0.19)" a variance in percent, of shares between 0 and 1, "~12" was read off a
    picture, "-" is no number. A key is the prefix, the label of the line (in parts where it has " · "), and the
    label of the column.

    n_groups : of how many groups the numbers are shares
    is_count : the numbers are counts of these groups, and become shares in percent
    is_single : the numbers are of one split
    is_compared : False where they are shown alone
    """
    lines = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    header = lines[0][1:]
    found: dict[Key, Number] = {}
    for label, *cells in lines[1:]:
        if len(cells) != len(header):
            raise InvalidInput(f"The line {label!r} has {len(cells)} numbers, and the first line {len(header)} labels.")
        for column, cell in zip(header, cells, strict=True):
            if cell in ("-", ""):
                continue
            value, _, spread = cell.removeprefix("~").removesuffix(")").replace("(", "±variance ").partition("±")
            deviation = None
            if spread:
                stated, is_variance = float(spread.removeprefix("variance ")), spread.startswith("variance")
                deviation = 100 * math.sqrt(stated / 100) if is_variance else stated
            unit = 100 / n_groups if is_count and n_groups else 1.0
            found[(*prefix, *label.split(" · "), column)] = Number(
                unit * float(value),
                deviation,
                n_groups,
                cell.startswith("~"),
                is_single,
                1 if is_count else len(value.partition(".")[2]),
                is_compared,
            )
    return found

"""What was chosen and why, in a few lines for a terminal."""

from __future__ import annotations

import math
import shutil

from fewest.cli.printable import printable
from fewest.selection import Provenance, Selection

_SHOWN = 30
_STEPS_SHOWN = 10
_BAR = 20
_EIGHTHS = " ▏▎▍▌▋▊▉"


def describe(selection: Selection, title: str) -> str:
    """The sentence, the features with small bars, what is proved, what was noticed."""
    provenance = selection.provenance
    assert provenance is not None
    lines = [_data_line(printable(title), provenance), _sentence(selection, provenance), ""]
    lines += _rows(selection) + _path(selection)
    lines += ["", selection.certificate(), *(f"note: {note}" for note in provenance.notes)]
    return "\n".join(lines)


def _data_line(title: str, provenance: Provenance) -> str:
    counts = list(provenance.class_counts.values())
    shown = "/".join(map(str, counts)) if len(counts) <= 10 else f"{min(counts)} to {max(counts)} rows each"
    return f"{title}: {provenance.n_rows:,} rows, {provenance.n_columns:,} features, {len(counts)} classes ({shown})"


def _sentence(selection: Selection, provenance: Provenance) -> str:
    return (
        f"{provenance.method} keeps {len(selection):,} of {provenance.n_columns:,} features "
        f"({provenance.seconds:.2g} s)"
    )


def _rows(selection: Selection) -> list[str]:
    if not selection.indices:
        return ["  none"]
    room = max(12, shutil.get_terminal_size().columns - _BAR - 22)
    names = [_short(name, room) for name in selection.features[:_SHOWN]]
    width = max(len("feature"), *map(len, names))
    finite = [score for score in selection.scores if math.isfinite(score)]
    largest = max([*finite, 0.0])
    rows = [f"{'#':>5}  {'feature':<{width}}  {'score':>9}"]
    for rank, (name, score) in enumerate(zip(names, selection.scores, strict=False), start=1):
        rows.append(f"{rank:>5}  {name:<{width}}  {score:>9.4g}  {_bar(score, largest)}".rstrip())
    if len(selection) > _SHOWN:
        rows.append(f"       … and {len(selection) - _SHOWN:,} more (--json writes them all)")
    return rows


def _path(selection: Selection) -> list[str]:
    """Beta against the number of features that are best there: the ends, the steps about this one, some between."""
    steps = selection.breakpoints
    if not steps:
        return []
    here = sum(size <= len(selection) for _, size in steps) - 1
    # Further and further apart away from the chosen one.
    shown = {0, len(steps) - 1, here, here + 1}
    distance = 1
    while len(shown) < _STEPS_SHOWN and distance <= len(steps):
        shown |= {here - distance, here + 1 + distance}
        distance *= 2
    rows = ["", "as beta falls, the best subset grows:", f"{'beta':>11}  features"]
    last = -1
    for i in sorted(i for i in shown if 0 <= i < len(steps)):
        if i > last + 1:
            rows.append(f"{'…':>11}")
        beta, size = steps[i]
        rows.append(f"{beta:>11.4g}  {size:>8,}" + ("  ◀ chosen" if size == len(selection) else ""))
        last = i
    return rows


def _short(name: str, room: int) -> str:
    shown = printable(name)
    return shown if len(shown) <= room else shown[: room - 1] + "…"


def _bar(score: float, largest: float) -> str:
    """A bar of eighths of a character, full at the largest score."""
    if math.isnan(score) or score <= 0 or largest <= 0:
        return ""
    eighths = round(8 * _BAR * min(score / largest, 1.0)) if math.isfinite(score) else 8 * _BAR
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()

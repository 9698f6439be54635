"""A selection as text for the terminal."""

from __future__ import annotations

import math
import shutil

from fewest.cli.output import printable
from fewest.formatting import count, seconds
from fewest.selection import Provenance, Selection

_SHOWN = 30
_STEPS_SHOWN = 10
_BAR = 20
_EIGHTHS = " ▏▎▍▌▋▊▉"


def describe(selection: Selection, title: str) -> str:
    """Describe a selection: the sentence, the features with bars, the certificate, the notes."""
    provenance = selection.provenance
    assert provenance is not None
    kept = f"{count(len(selection))} of {count(provenance.n_columns)} features ({seconds(provenance.seconds)})"
    lines = [_data_line(printable(title), provenance), f"{provenance.method} keeps {kept}", ""]
    lines += _rows(selection) + _path(selection)
    lines += ["", selection.certificate(), *(f"note: {note}" for note in provenance.notes)]
    return "\n".join(lines)


def _data_line(title: str, provenance: Provenance) -> str:
    counts = list(provenance.class_counts.values())
    shown = "/".join(map(str, counts)) if len(counts) <= 10 else f"{min(counts)} to {max(counts)} rows each"
    size = f"{count(provenance.n_rows)} rows, {count(provenance.n_columns)} features"
    return f"{title}: {size}, {len(counts)} classes ({shown})"


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
    """List beta against the best number of features: the ends, the steps around this one, some between."""
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
    """Draw a bar in eighths of a character, full at the largest score."""
    if math.isnan(score) or score <= 0 or largest <= 0:
        return ""
    eighths = round(8 * _BAR * min(score / largest, 1.0)) if math.isfinite(score) else 8 * _BAR
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()

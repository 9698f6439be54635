"""Measurements against a number, as lines with their intervals: SVG without other files, for light and dark pages."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from markupsafe import Markup

from fewest.papers.declarations import Picture
from fewest.papers.verdicts import CellVerdict
from fewest.report.charts.axis_scales import Scale, range_of, spread_apart, tick_text
from fewest.report.markup import joined, tag

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 350, 54, 230, 28, 46
_LINE = 16
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a7a", "#8c564b")
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#333}.e{text-anchor:end}.m{text-anchor:middle}.g{stroke:#ddd}"
    ".l{fill:none;stroke-width:2}.p{fill:none;stroke-width:1.5;stroke-dasharray:5 4}.b{stroke-width:1;opacity:.6}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}}"
)


def drawn(picture: Picture, title: str, cells: Sequence[CellVerdict]) -> str:
    """The lines of ours with their intervals, and dashed those of the paper where it has numbers."""
    ours: dict[str, list[tuple[float, float, float, float]]] = {}
    theirs: dict[str, list[tuple[float, float]]] = {}
    for cell in cells:
        at = _number(cell.key[picture.at]) if len(cell.key) > max(picture.at, picture.line) else None
        name = cell.key[picture.line] if at is not None else ""
        if at is None or cell.measurement is None or (picture.only and picture.only not in cell.key):
            continue
        if picture.lines and name not in picture.lines:
            continue
        found = cell.measurement
        # Of one resample no interval is known.
        low, high = (found.low, found.high) if math.isfinite(found.high - found.low) else (found.mean, found.mean)
        ours.setdefault(name, []).append((at, found.mean, low, high))
        if cell.number is not None:
            theirs.setdefault(name, []).append((at, cell.number.value))
    if not any(len(points) > 1 for points in ours.values()):
        return ""
    values = [value for points in ours.values() for point in points for value in point[1:]]
    values += [value for points in theirs.values() for _, value in points]
    places = [point[0] for points in ours.values() for point in points]
    x = Scale(min(places), max(places), _LEFT, _WIDTH - _RIGHT)
    y = Scale(*range_of(min(values), max(values)), _HEIGHT - _BOTTOM, _TOP)
    parts = [tag("title", title), tag("style", Markup(_STYLE)), *_axes(picture, x, y)]
    ends = spread_apart([y(sorted(points)[-1][1]) for points in ours.values()], _LINE, _TOP, _HEIGHT - _BOTTOM)
    for number, (name, points) in enumerate(ours.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        points.sort()
        for at, _, low, high in points:
            parts.append(tag("path", d=f"M{x(at):.1f} {y(low):.1f}V{y(high):.1f}", class_="b", stroke=colour))
        parts.append(tag("path", d=_path(x, y, [(at, mean) for at, mean, _, _ in points]), class_="l", stroke=colour))
        if len(theirs.get(name, ())) > 1:
            parts.append(tag("path", d=_path(x, y, sorted(theirs[name])), class_="p", stroke=colour))
        parts.append(tag("text", name, x=_WIDTH - _RIGHT + 8, y=f"{ends[number] + 4:.1f}", style=f"fill:{colour}"))
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">'
    return f"{opening}{joined(parts)}</svg>\n"


def _axes(picture: Picture, x: Scale, y: Scale) -> list[Markup]:
    parts = []
    heights, places = y.ticks(6), x.ticks(8)
    write_y, write_x = (tick_text(ticks, is_percentage=False) for ticks in (heights, places))
    for value in heights:
        parts.append(tag("path", d=f"M{_LEFT} {y(value):.1f}H{_WIDTH - _RIGHT}", class_="g"))
        parts.append(tag("text", write_y(value), x=_LEFT - 6, y=f"{y(value) + 4:.1f}", class_="e"))
    parts += [
        tag("text", write_x(value), x=f"{x(value):.1f}", y=_HEIGHT - _BOTTOM + 18, class_="m") for value in places
    ]
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(tag("text", picture.x, x=middle, y=_HEIGHT - 8, class_="m"))
    return [*parts, tag("text", picture.y, x=4, y=12)]


def _path(x: Scale, y: Scale, points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x(at):.1f} {y(value):.1f}" for at, value in points)


def _number(text: str) -> float | None:
    found = re.search(r"[-−]?\d+(\.\d+)?", text)
    return None if found is None else float(found[0].replace("−", "-"))

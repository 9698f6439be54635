"""The look of a method or class in every picture: its colour, its mark and its dashes.

Colours are those of Okabe and Ito, which colour-blind readers can distinguish. Marks differ too, so that a page printed
in black can still be read. One colour, blue, belongs to none of the methods: it means "chosen".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from fewest.report.markup import tag

_N_COLOURS = 6
_N_MARKS = 6
_N_DASHES = 3

# How wide the lines are that carry marks, and how large the marks are then.
MARKED_LINE = 2.0
MARK_RADIUS = 3.2


@dataclass(frozen=True)
class Look:
    """The style classes for colour and dashes, and the number of the mark."""

    css: str
    mark: int

    @property
    def marker(self) -> str:
        """The id of the mark, which is drawn at every point of a line (see markers)."""
        return f"{self.css.split()[0]}-{self.mark}"

    def swatch(self) -> Markup:
        """Draw a short line with the mark, for legends."""
        line = tag("path", d="M1 6H21", class_="line")
        mark = tag("path", d=mark_path(self.mark, 11, 6, 4), class_="mark")
        return Markup(f'<svg class="swatch {self.css}" viewBox="0 0 22 12" aria-hidden="true">{line}{mark}</svg>')

    def dot(self) -> Markup:
        """Draw the mark alone, for legends."""
        mark = tag("path", d=mark_path(self.mark, 6, 6, 4.5), class_="mark")
        return Markup(f'<svg class="dot {self.css}" viewBox="0 0 12 12" aria-hidden="true">{mark}</svg>')


def method_looks(names: Iterable[str]) -> dict[str, Look]:
    """Assign one look per method, in the order of their first occurrence."""
    return {name: _look("c", index) for index, name in enumerate(dict.fromkeys(names))}


def class_looks(n_classes: int) -> list[Look]:
    """Assign one look per class."""
    return [_look("k", index) for index in range(n_classes)]


def markers(methods: Iterable[Look], n_classes: int) -> Markup:
    """Define every mark of the page once; lines and scatter plots refer to them.

    Their size grows with the width of the line: at MARKED_LINE pixels a mark's radius is MARK_RADIUS.
    """
    known = {look.marker: (look, "mark") for look in methods}
    known |= {look.marker: (look, "mark spot") for look in class_looks(n_classes)}
    side = f"{2 * MARK_RADIUS / MARKED_LINE:g}"
    frame = f"{-MARK_RADIUS} {-MARK_RADIUS} {2 * MARK_RADIUS} {2 * MARK_RADIUS}"
    drawn = [
        Markup(
            f'<marker id="{name}" class="{look.css}" viewBox="{frame}" markerWidth="{side}" markerHeight="{side}">'
            f"{tag('path', d=mark_path(look.mark, 0, 0, MARK_RADIUS), class_=css)}</marker>"
        )
        for name, (look, css) in sorted(known.items())
    ]
    return tag("svg", *drawn, class_="unseen", aria_hidden="true") if drawn else Markup()


def _look(kind: str, index: int) -> Look:
    # The seventh looks like the first but for its dashes and its mark.
    lap = index // _N_COLOURS
    return Look(f"{kind}{index % _N_COLOURS} d{lap % _N_DASHES}", (index + lap) % _N_MARKS)


def mark_path(mark: int, x: float, y: float, r: float) -> str:
    """Return the path of a circle, square, triangle, diamond, inverted triangle or cross around a point."""

    def n(value: float) -> str:
        return f"{value:.1f}".removesuffix(".0")

    if mark == 0:
        # Two half circles.
        return f"M{n(x - r)} {n(y)}a{n(r)} {n(r)} 0 1 0 {n(2 * r)} 0a{n(r)} {n(r)} 0 1 0 {n(-2 * r)} 0z"
    if mark == 1:
        s = 0.87 * r
        return f"M{n(x - s)} {n(y - s)}h{n(2 * s)}v{n(2 * s)}h{n(-2 * s)}z"
    if mark == 2:
        return f"M{n(x)} {n(y - 1.15 * r)}l{n(1.1 * r)} {n(1.9 * r)}h{n(-2.2 * r)}z"
    if mark == 3:
        s = 1.2 * r
        return f"M{n(x)} {n(y - s)}l{n(s)} {n(s)}l{n(-s)} {n(s)}l{n(-s)} {n(-s)}z"
    if mark == 4:
        return f"M{n(x)} {n(y + 1.15 * r)}l{n(1.1 * r)} {n(-1.9 * r)}h{n(-2.2 * r)}z"
    w = 0.4 * r
    a = r - w
    right = f"h{n(2 * w)}v{n(a)}h{n(a)}v{n(2 * w)}h{n(-a)}v{n(a)}"
    left = f"h{n(-2 * w)}v{n(-a)}h{n(-a)}v{n(-2 * w)}h{n(a)}"
    return f"M{n(x - w)} {n(y - r)}{right}{left}z"

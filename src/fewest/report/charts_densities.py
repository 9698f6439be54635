"""How the values of the top features lie, class by class: small pictures on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.report.drawing import Drawing, both, line_path
from fewest.report.looks import Look
from fewest.report.markup import Markup, tag
from fewest.report.numbers import number
from fewest.report.scales import Scale

_GAP = 28
_PICTURE = 104
#: A point every so many pixels; closer ones cannot be told apart.
_SPACING = 3


@dataclass(frozen=True)
class Density:
    """One feature: places, and the density of each class there; None for a class without one."""

    feature: str
    grid: Sequence[float]
    classes: Sequence[Sequence[float] | None]

    @property
    def width(self) -> float:
        return (max(self.grid) - min(self.grid)) or 1.0

    def highest(self) -> float:
        return max((value for curve in self.classes if curve for value in curve), default=0.0)


def has_one_scale(found: Sequence[Density]) -> bool:
    """Whether all features can share an axis without some being pressed into a corner of it."""
    low, high = min(min(d.grid) for d in found), max(max(d.grid) for d in found)
    return (high - low) <= 2.5 * min(d.width for d in found)


def densities_chart(found: Sequence[Density], looks: Sequence[Look], alternative: str) -> Markup:
    """All features; the area under each line is the same in every picture."""
    is_shared = has_one_scale(found)
    low, high = min(min(d.grid) for d in found), max(max(d.grid) for d in found)
    # A density times the width of its axis has no unit, so that heights can be compared between features.
    units = [1.0 if is_shared else density.width for density in found]
    top = max(density.highest() * unit for density, unit in zip(found, units, strict=True)) or 1.0

    def draw(width: int) -> Drawing:
        n_beside = min(3 if width > 400 else 2, len(found))
        each = min((width - _GAP * (n_beside - 1)) / n_beside, 260)
        n_rows = -(-len(found) // n_beside)
        drawing = Drawing(width, n_rows * (_PICTURE + 54))
        for order, (density, unit) in enumerate(zip(found, units, strict=True)):
            left, y = (order % n_beside) * (each + _GAP), (order // n_beside) * (_PICTURE + 54)
            ends = (low, high) if is_shared else (min(density.grid), max(density.grid))
            across = Scale(*ends, left, left + each)
            up = Scale(0, top, y + 22 + _PICTURE, y + 26)
            drawing.word(left, y + 14, density.feature, css="strong", most=each)
            for curve, look in zip(density.classes, looks, strict=False):
                if curve:
                    drawing.add(_outline(density.grid, [value * unit for value in curve], across, up, look))
            drawing.rule(left, up.start, left + each, up.start)
            drawing.word(left, up.start + 16, number(ends[0]), css="quiet", most=each / 2)
            drawing.word(left + each, up.start + 16, number(ends[1]), "end", "quiet", most=each / 2)
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def _outline(grid: Sequence[float], curve: Sequence[float], across: Scale, up: Scale, look: Look) -> Markup:
    every = max(1, round(len(grid) * _SPACING / abs(across.end - across.start)))
    points = [(across(x), up(y)) for x, y in zip(grid, curve, strict=False)][::every]
    # From the base up, along and down again: one path is both the line and the area.
    outline = [(points[0][0], up.start), *points, (points[-1][0], up.start)]
    return tag("path", d=line_path(outline), class_=f"line under {look.css}")

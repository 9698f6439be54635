"""How the values of the top features lie, class by class: small pictures on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.formatting import number
from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.drawing import line_path, stretched
from fewest.report.charts.looks import Look
from fewest.report.markup import Markup, name_of, tag

#: The pictures are about 230 by 100 pixels on a wide screen: finer than this nothing can be seen.
_WIDTH, _HEIGHT = 460, 300
_MOST_POINTS = 80


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

    small = []
    for density, unit in zip(found, units, strict=True):
        ends = (low, high) if is_shared else (min(density.grid), max(density.grid))
        across, up = Scale(*ends, 0, _WIDTH), Scale(0, top, _HEIGHT, 3)
        lines = [
            _outline(density.grid, [value * unit for value in curve], across, up, look)
            for curve, look in zip(density.classes, looks, strict=False)
            if curve
        ]
        base = tag("path", d=f"M0 {_HEIGHT}H{_WIDTH}", class_="hair")
        small.append(
            tag(
                "div",
                tag("div", name_of(density.feature), class_="name", title=density.feature),
                stretched(_WIDTH, _HEIGHT, *lines, base),
                tag("div", *(tag("span", number(end)) for end in ends), class_="ends"),
            )
        )
    return tag("div", *small, class_="plot multiples", role="img", aria_label=alternative)


def _outline(grid: Sequence[float], curve: Sequence[float], across: Scale, up: Scale, look: Look) -> Markup:
    every = -(-len(grid) // _MOST_POINTS)
    points = [(across(x), up(y)) for x, y in zip(grid, curve, strict=False)][::every]
    # From the base up, along and down again: one path is both the line and the area.
    outline = [(points[0][0], up.start), *points, (points[-1][0], up.start)]
    return tag("path", d=line_path(outline, parts=1), class_=f"line under {look.css}")

"""How many features a threshold admits: a staircase a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.formatting import count, number
from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.drawing import Drawing, across_ticks, both, place, upward_ticks
from fewest.report.charts.looks import Look
from fewest.report.markup import Markup, joined, tag

_MOST_STEPS = 500


@dataclass(frozen=True)
class Steps:
    """(threshold, features admitted just below it), the lowest threshold first."""

    name: str
    look: Look
    points: Sequence[tuple[float, float]]


def thresholds_chart(found: Sequence[Steps], alternative: str) -> Markup:
    """All staircases on one pair of axes."""
    legend = [tag("span", steps.look.swatch(), tag("bdi", steps.name), class_="key") for steps in found]
    picture = both(lambda width: _draw(found, width), alternative)
    return joined([tag("div", *legend, class_="legend"), tag("div", picture, class_="plot")])


def _draw(found: Sequence[Steps], width: int) -> Drawing:
    drawing = Drawing(width, 260 if width > 400 else 240)
    betas = [beta for steps in found for beta, _ in steps.points]
    sizes = [size for steps in found for _, size in steps.points]
    across = Scale(min(0.0, *betas), max(betas), 46, width - 14)
    is_logarithmic = max(sizes) > 10 * max(min(sizes), 1)
    up = Scale(1 if is_logarithmic else 0, max(sizes), drawing.height - 46, 10, is_logarithmic)
    upward_ticks(drawing, up, across.start, across.end, count, 5)
    across_ticks(drawing, across, up.start, number, 7 if drawing.is_wide else 5, "threshold (beta)")
    for steps in found:
        every = max(1, len(steps.points) // _MOST_STEPS)
        points = steps.points[::every]
        walk = f"M{place(across(across.low))} {place(up(max(points[0][1], up.low)))}"
        for (beta, _), after in zip(points, [*points[1:], None], strict=True):
            # Below a threshold its number of features holds, above it that of the next.
            walk += f"H{place(across(beta))}"
            walk += f"V{place(up(max(after[1], up.low)))}" if after else f"V{place(up.start)}"
        drawing.add(tag("g", tag("path", d=walk, class_="line"), class_=steps.look.css))
    return drawing

"""Charts of features: densities by class, two features as a scatter plot, the scores of all columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.formatting import count, number
from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.drawing import (
    Drawing,
    across_ticks,
    both,
    line_path,
    px,
    stretched,
    upward_ticks,
    words_width,
)
from fewest.report.charts.looks import MARK_RADIUS, MARKED_LINE, Look
from fewest.report.markup import name_of, tag
from fewest.summary import FeatureDensity, FeaturePair

# Density pictures are about 230 by 100 pixels, score pictures at most 760 by 64: finer than this nothing can be seen.
_DENSITY_WIDTH, _DENSITY_HEIGHT = 460, 300
_MOST_POINTS = 80
_SCORE_HEIGHT = 128
_MOST_BINS = 506
# Fewer columns than this are drawn as single bars.
_MOST_STEMS = 100


def _width(density: FeatureDensity) -> float:
    return (max(density.grid) - min(density.grid)) or 1.0


def _highest(density: FeatureDensity) -> float:
    return max(value for part in density.classes for value in part.density)


def has_one_scale(found: Sequence[FeatureDensity]) -> bool:
    """Whether all features can share an axis without some being pressed into a corner of it."""
    low, high = min(min(d.grid) for d in found), max(max(d.grid) for d in found)
    return (high - low) <= 2.5 * min(_width(d) for d in found)


def densities_chart(found: Sequence[FeatureDensity], looks: Sequence[Look], alternative: str) -> Markup:
    """All features; the area under each line is the same in every picture."""
    is_shared = has_one_scale(found)
    low, high = min(min(d.grid) for d in found), max(max(d.grid) for d in found)
    # A density times the width of its axis has no unit, so that heights can be compared between features.
    units = [1.0 if is_shared else _width(density) for density in found]
    top = max(_highest(density) * unit for density, unit in zip(found, units, strict=True)) or 1.0

    small = []
    for density, unit in zip(found, units, strict=True):
        ends = (low, high) if is_shared else (min(density.grid), max(density.grid))
        across, up = Scale(*ends, 0, _DENSITY_WIDTH), Scale(0, top, _DENSITY_HEIGHT, 3)
        lines = [
            _outline(density.grid, [value * unit for value in part.density], across, up, look)
            for part, look in zip(density.classes, looks, strict=True)
        ]
        base = tag("path", d=f"M0 {_DENSITY_HEIGHT}H{_DENSITY_WIDTH}", class_="hair")
        small.append(
            tag(
                "div",
                tag("div", name_of(density.feature), class_="name", title=density.feature),
                stretched(_DENSITY_WIDTH, _DENSITY_HEIGHT, *lines, base),
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


def scatter_chart(pair: FeaturePair, looks: Sequence[Look], alternative: str) -> Markup:
    """Draw one mark per row, one path per class."""
    points = pair.points
    xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
    r = 4.0 if len(points) <= 300 else 2.6

    def draw(width: int) -> Drawing:
        drawing = Drawing(width, 440 if width > 400 else 330)
        up = Scale(*_widened(ys), drawing.height - 46, 26)
        left = max([words_width(number(tick)) for tick in up.ticks(6)], default=20) + 12
        across = Scale(*_widened(xs), left, min(width - 14, 620))
        upward_ticks(drawing, up, left, across.end, number, 6)
        across_ticks(drawing, across, up.start, number, 7 if drawing.is_wide else 4)
        drawing.word((left + across.end) / 2, up.start + 38, pair.x, "middle", "quiet", across.end - left)
        drawing.word(0, 13, pair.y, css="quiet", most=across.end)
        for code, look in enumerate(looks):
            # From left to right, since the steps from point to point are written.
            own = sorted((across(x), up(y)) for x, y, found in points if found == code)
            if own:
                style = f"marker:url(#{look.marker});stroke-width:{MARKED_LINE * r / MARK_RADIUS:g}"
                drawing.add(tag("path", d=line_path(own, keeps_all=True), style=style))
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def _widened(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values and a little more, so that no mark is cut by the frame."""
    low, high = min(values), max(values)
    more = 0.04 * (high - low) or abs(low) * 0.1 or 1.0
    return low - more, high + more


@dataclass(frozen=True)
class ColumnScores:
    """A method and the score it gave each column; None where it gave none."""

    name: str
    look: Look
    scores: Sequence[float | None]


def columns_chart(found: Sequence[ColumnScores], n_columns: int, alternative: str) -> Markup:
    """Each method on its own scale, since scores of methods cannot be compared."""

    def axis(width: int) -> Drawing:
        drawing = Drawing(width, 26)
        across_ticks(drawing, Scale(0, n_columns, 1, width - 1), 2, count, 6)
        return drawing

    rows = [
        tag(
            "div",
            tag(
                "div",
                tag("span", name_of(method.name), class_="name", title=method.name),
                tag("span", f"highest {number(max(score for score in method.scores if score is not None))}"),
                class_="ends",
            ),
            _picture(method, n_columns),
        )
        for method in found
    ]
    return tag("div", *rows, both(axis, ""), class_="plot stacked", role="img", aria_label=alternative)


def _picture(method: ColumnScores, n_columns: int) -> Markup:
    n_bins = min(n_columns, _MOST_BINS)
    known = [score for score in method.scores if score is not None]
    up = Scale(min(0.0, *known), max(0.0, *known), _SCORE_HEIGHT, 0)
    base = round(up(0))
    across = Scale(0, n_columns, 0, n_bins)
    bars = [
        (across(first), across(end), round(up(best)))
        for first, end, best in binned(method.scores, min(n_bins, len(method.scores)))
    ]
    rule = tag("path", d=f"M0 {base}H{n_bins}", class_="hair")
    if n_bins <= _MOST_STEMS:
        stems = "".join(f"M{px((first + end) / 2)} {base}V{top}" for first, end, top in bars)
        return stretched(n_bins, _SCORE_HEIGHT, tag("path", d=stems, class_=f"stem {method.look.css}"), rule)
    # One bin per pixel: all are one area with a ragged edge.
    edge, reached, height = [f"M0 {base}"], "0", base
    for first, end, top in bars:
        if px(first) != reached:
            edge.append(f"H{reached}V{base}")
            height = base
        if top != height:
            edge.append(f"H{px(first)}V{top}")
        reached, height = px(end), top
    edge.append(f"H{reached}V{base}z")
    return stretched(n_bins, _SCORE_HEIGHT, tag("path", d="".join(edge), class_=f"skyline {method.look.css}"), rule)


def binned(scores: Sequence[float | None], n_bins: int) -> list[tuple[int, int, float]]:
    """Neighbouring columns together: the first, the one after the last, and their highest score."""
    found = []
    n_bins = min(n_bins, len(scores))
    for index in range(n_bins):
        first, end = index * len(scores) // n_bins, (index + 1) * len(scores) // n_bins
        known = [score for score in scores[first:end] if score is not None]
        if known:
            found.append((first, end, max(known)))
    return found

"""Charts of features: densities by class, two features as a scatter plot, the scores of all columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from markupsafe import Markup

from fewest.display.formatting import count, number
from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.drawing import Drawing, both, line_path, px, stretched, text_width, x_axis, y_axis
from fewest.report.charts.looks import MARK_RADIUS, MARKED_LINE, Look
from fewest.report.markup import name_of, tag
from fewest.summary import FeatureDensity, FeaturePair

# Density pictures are about 230 by 100 pixels, score pictures at most 760 by 64: finer than this nothing can be seen.
_DENSITY_WIDTH, _DENSITY_HEIGHT = 460, 300
_MAX_POINTS = 80
_SCORE_HEIGHT = 128
_MAX_BINS = 506
# Fewer columns than this are drawn as single bars.
_MAX_STEMS = 100


def _width(density: FeatureDensity) -> float:
    return (max(density.grid) - min(density.grid)) or 1.0


def has_one_scale(found: Sequence[FeatureDensity]) -> bool:
    """Return whether all features can share an axis without some being squeezed into a part of it."""
    low, high = min(min(d.grid) for d in found), max(max(d.grid) for d in found)
    return not any(d.is_logarithmic for d in found) and high - low <= 2.5 * min(_width(d) for d in found)


def densities_chart(found: Sequence[FeatureDensity], looks: Sequence[Look], alternative: str) -> Markup:
    """Draw the densities of each feature; the area under every line is the same."""
    is_shared = has_one_scale(found)
    low, high = min(min(d.grid) for d in found), max(max(d.grid) for d in found)
    peaks = [max(value for part in density.classes for value in part.density) or 1.0 for density in found]
    small = []
    for density, peak in zip(found, peaks, strict=True):
        # On one axis heights can be compared between features too; otherwise each has its own.
        top = max(peaks) if is_shared else peak
        ends = (low, high) if is_shared else (min(density.grid), max(density.grid))
        x_scale = Scale(*ends, 0, _DENSITY_WIDTH, density.is_logarithmic)
        y_scale = Scale(0, top, _DENSITY_HEIGHT, 3)
        lines = [
            _density_path(density.grid, part.density, x_scale, y_scale, look)
            for part, look in zip(density.classes, looks, strict=True)
        ]
        base = tag("path", d=f"M0 {_DENSITY_HEIGHT}H{_DENSITY_WIDTH}", class_="hair")
        picture = stretched(_DENSITY_WIDTH, _DENSITY_HEIGHT, *lines, base)
        name = tag("div", name_of(density.feature), class_="name", title=density.feature)
        first, last = (number(end) for end in ends)
        if density.is_cut:
            first, last = f"‹ {first}", f"{last} ›"
        middle = tag("span", "log") if density.is_logarithmic else None
        small.append(
            tag("div", name, picture, tag("div", tag("span", first), middle, tag("span", last), class_="ends"))
        )
    return tag("div", *small, class_="plot multiples", role="img", aria_label=alternative)


def _density_path(grid: Sequence[float], curve: Sequence[float], x_scale: Scale, y_scale: Scale, look: Look) -> Markup:
    every = -(-len(grid) // _MAX_POINTS)
    points = [(x_scale(x), y_scale(y)) for x, y in zip(grid, curve, strict=False)][::every]
    # From the base up, along and down again: one path is both the line and the area.
    boundary = [(points[0][0], y_scale.start), *points, (points[-1][0], y_scale.start)]
    return tag("path", d=line_path(boundary, parts=1), class_=f"line under {look.css}")


def scatter_chart(pair: FeaturePair, looks: Sequence[Look], alternative: str, names: Sequence[str] = ()) -> Markup:
    """Draw one mark per row, one path per class; names of classes are written at their medians."""
    points = pair.points
    xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
    r = 4.0 if len(points) <= 300 else 2.6

    def draw(width: int) -> Drawing:
        drawing = Drawing(width, 440 if width > 400 else 330)
        y_scale = Scale(*_widened(ys), drawing.height - 46, 26)
        left = max([text_width(number(tick)) for tick in y_scale.ticks(6)], default=20) + 12
        x_scale = Scale(*_widened(xs), left, min(width - 14, 620))
        y_axis(drawing, y_scale, left, x_scale.end, number, 6)
        x_axis(drawing, x_scale, y_scale.start, number, 7 if drawing.is_wide else 4)
        drawing.text((left + x_scale.end) / 2, y_scale.start + 38, pair.x, "middle", "quiet", x_scale.end - left)
        drawing.text(0, 13, pair.y, css="quiet", most=x_scale.end)
        for code, look in enumerate(looks):
            # From left to right, since the steps from point to point are written.
            own = sorted((x_scale(x), y_scale(y)) for x, y, found in points if found == code)
            if own:
                style = f"marker:url(#{look.marker});stroke-width:{MARKED_LINE * r / MARK_RADIUS:g}"
                drawing.add(tag("path", d=line_path(own, keeps_all=True), style=style))
        _write_names(drawing, pair, names, x_scale, y_scale)
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def _write_names(drawing: Drawing, pair: FeaturePair, names: Sequence[str], x_scale: Scale, y_scale: Scale) -> None:
    """Write the name of each class at the median of its rows, upon a background that hides the marks."""
    for code, name in enumerate(names):
        own = [(x, y) for x, y, found in pair.points if found == code]
        if own:
            half = text_width(name) / 2
            x = min(max(x_scale(median(x for x, _ in own)), half), drawing.width - half)
            drawing.text(x, y_scale(median(y for _, y in own)) + 4.5, name, "middle", "over")


def _widened(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of the values, widened so that no mark is cut by the frame."""
    low, high = min(values), max(values)
    more = 0.04 * (high - low) or abs(low) * 0.1 or 1.0
    return low - more, high + more


@dataclass(frozen=True)
class ColumnScores:
    """A method and its scores by column; None where a column has none."""

    name: str
    look: Look
    scores: Sequence[float | None]


def columns_chart(found: Sequence[ColumnScores], n_columns: int, alternative: str) -> Markup:
    """Draw the scores of all columns, each method on its own scale."""

    def axis(width: int) -> Drawing:
        drawing = Drawing(width, 26)
        x_axis(drawing, Scale(0, n_columns, 1, width - 1), 2, count, 6)
        return drawing

    rows = []
    for method in found:
        name = tag("span", name_of(method.name), class_="name", title=method.name)
        highest = tag("span", f"highest {number(max(score for score in method.scores if score is not None))}")
        rows.append(tag("div", tag("div", name, highest, class_="ends"), _picture(method, n_columns)))
    return tag("div", *rows, both(axis, ""), class_="plot stacked", role="img", aria_label=alternative)


def _picture(method: ColumnScores, n_columns: int) -> Markup:
    n_bins = min(n_columns, _MAX_BINS)
    known = [score for score in method.scores if score is not None]
    y_scale = Scale(min(0.0, *known), max(0.0, *known), _SCORE_HEIGHT, 0)
    base = round(y_scale(0))
    x_scale = Scale(0, n_columns, 0, n_bins)
    bars = [
        (x_scale(first), x_scale(end), round(y_scale(best)))
        for first, end, best in binned(method.scores, min(n_bins, len(method.scores)))
    ]
    rule = tag("path", d=f"M0 {base}H{n_bins}", class_="hair")
    if n_bins <= _MAX_STEMS:
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
    """Group neighbouring columns into bins: the first column, the end, and the highest score of each."""
    found = []
    n_bins = min(n_bins, len(scores))
    for index in range(n_bins):
        first, end = index * len(scores) // n_bins, (index + 1) * len(scores) // n_bins
        known = [score for score in scores[first:end] if score is not None]
        if known:
            found.append((first, end, max(known)))
    return found

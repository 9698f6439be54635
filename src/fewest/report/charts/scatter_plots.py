"""Two features against each other, each row in the colour and mark of its class."""

from __future__ import annotations

from collections.abc import Sequence

from fewest.formatting import number
from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.drawing import Drawing, across_ticks, both, line_path, upward_ticks, words_width
from fewest.report.charts.looks import MARK_RADIUS, MARKED_LINE, Look
from fewest.report.markup import Markup, tag


def scatter_chart(
    x_name: str, y_name: str, points: Sequence[tuple[float, float, int]], looks: Sequence[Look], alternative: str
) -> Markup:
    """One mark a row; one path a class."""
    xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
    r = 4.0 if len(points) <= 300 else 2.6

    def draw(width: int) -> Drawing:
        drawing = Drawing(width, 440 if width > 400 else 330)
        up = Scale(*_widened(ys), drawing.height - 46, 26)
        left = max([words_width(number(tick)) for tick in up.ticks(6)], default=20) + 12
        across = Scale(*_widened(xs), left, min(width - 14, 620))
        upward_ticks(drawing, up, left, across.end, number, 6)
        across_ticks(drawing, across, up.start, number, 7 if drawing.is_wide else 4)
        drawing.word((left + across.end) / 2, up.start + 38, x_name, "middle", "quiet", across.end - left)
        drawing.word(0, 13, y_name, css="quiet", most=across.end)
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

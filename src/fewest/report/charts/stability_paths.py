"""Paths of stability selection: how often halves of the rows select a feature, by the number that each selects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.display.formatting import count, frequency
from fewest.report.charts.axis_scales import Scale, spread_apart
from fewest.report.charts.drawing import Drawing, both, line_path, px, text_width, x_axis, y_axis
from fewest.report.charts.looks import Look
from fewest.report.markup import tag

# Names that are written beside their lines, and the share of the width that they may take.
_MAX_LABELS, _LABEL_SHARE = 14, 0.3
# Room for the title above, the axis below, and from a line to its name.
_TOP, _BOTTOM, _LEADER = 26, 46, 22


@dataclass(frozen=True)
class PathLine:
    """A feature: shares of the halves by the number of features a half."""

    name: str
    points: Sequence[tuple[int, float]]

    @property
    def last(self) -> float:
        """The share at the largest size."""
        return self.points[-1][1] if self.points else 0.0


def paths_chart(lines: Sequence[PathLine], threshold: float, look: Look, alternative: str) -> Markup:
    """Draw a line a feature, those that reach the threshold in the colour of the method and with their names."""
    picture = both(lambda width: _draw(lines, threshold, look, width), alternative)
    return tag("div", picture, class_="plot")


def _draw(lines: Sequence[PathLine], threshold: float, look: Look, width: int) -> Drawing:
    drawing = Drawing(width, 380 if width > 400 else 320)
    stable = [line for line in lines if line.last >= threshold]
    labelled = stable[:_MAX_LABELS]
    room = min(_LABEL_SHARE * width, max((text_width(line.name) for line in labelled), default=0.0))
    right = width - 14 - (room + _LEADER if labelled else 0.0)
    largest = max(size for line in lines for size, _ in line.points)
    x_scale = Scale(0, max(largest, 1), 50, right)
    y_scale = Scale(0, 1, drawing.height - _BOTTOM, _TOP)
    y_axis(drawing, y_scale, x_scale.start, x_scale.end, frequency, 6)
    ticks = min(largest + 1, 7 if drawing.is_wide else 4)
    x_axis(drawing, x_scale, y_scale.start, count, ticks, "features that each half selects")
    drawing.text(0, 13, "share of the halves that select a feature", css="quiet")
    for line in sorted(lines, key=lambda one: one.last):
        is_stable = line.last >= threshold
        # With no feature a half nothing is selected.
        points = [(x_scale(size), y_scale(share)) for size, share in [(0, 0.0), *line.points]]
        title, d = tag("title", line.name), line_path(points)
        if is_stable:
            drawing.add(tag("g", tag("path", title, d=d, class_="line"), class_=look.css))
        else:
            drawing.add(tag("path", title, d=d, class_="axis", style="opacity:0.4"))
    drawing.rule(x_scale.start, y_scale(threshold), x_scale.end, y_scale(threshold), "level all")
    _label(drawing, labelled, x_scale, y_scale, look, room)
    return drawing


def _label(
    drawing: Drawing, lines: Sequence[PathLine], x_scale: Scale, y_scale: Scale, look: Look, room: float
) -> None:
    """Write names at the ends of lines, moved apart where they would overlap."""
    ends = [y_scale(line.last) for line in lines]
    heights = spread_apart(ends, 16, y_scale.end + 4, y_scale.start - 4)
    left = x_scale.end + _LEADER
    for line, y, height in zip(lines, ends, heights, strict=True):
        leader = f"M{px(x_scale.end + 3)} {px(y)}L{px(left - 4)} {px(height)}"
        drawing.add(tag("g", tag("path", d=leader, class_="leader"), class_=look.css))
        drawing.text(left, height + 4.5, line.name, most=room + 8)

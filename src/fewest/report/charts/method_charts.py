"""One row per method on one scale: intervals, pairs of points, and the critical-difference diagram (Demšar 2006)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.display.formatting import number
from fewest.report.charts.axis_scales import Scale, tick_text
from fewest.report.charts.drawing import (
    NARROW,
    Drawing,
    RowNames,
    both,
    label_column,
    line_path,
    px,
    text_width,
    x_axis,
)
from fewest.report.charts.looks import Look, mark_path
from fewest.report.markup import tag

_ROW = 26
_RANK_ROW = 22
_BAR = 9


@dataclass(frozen=True)
class MethodRow:
    """A method's point with its interval; `other` is a hollow point joined to it, `text` is shown by hovering."""

    name: str
    look: Look
    at: float
    low: float | None = None
    high: float | None = None
    other: float | None = None
    text: str = ""


def rows_chart(
    rows: Sequence[MethodRow], low: float, high: float, title: str, alternative: str, *, is_percentage: bool
) -> Markup:
    """Draw the methods from top to bottom, with the axis below."""

    def draw(width: int) -> Drawing:
        names = RowNames.at([row.name for row in rows], width, space=22)
        pitch = _ROW + names.above
        drawing = Drawing(width, pitch * len(rows) + 54)
        x_scale = Scale(low, high, max(names.left, 14), width - 16)
        bottom = pitch * len(rows) + 8
        rules = "".join(f"M{px(x_scale(tick))} 4V{px(bottom)}" for tick in x_scale.ticks(6))
        drawing.add(tag("path", d=rules, class_="grid"))
        most = 6 if drawing.is_wide else 4
        x_axis(drawing, x_scale, bottom, tick_text(x_scale.ticks(most), is_percentage=is_percentage), most, title)
        for index, row in enumerate(rows):
            top = pitch * index + 4
            names.write(drawing, index, top, top + _ROW / 2)
            _draw_row(drawing, row, x_scale, top + names.above + _ROW / 2)
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def _draw_row(drawing: Drawing, row: MethodRow, x_scale: Scale, y: float) -> None:
    inner = Drawing(0, 0)
    if row.low is not None and row.high is not None:
        inner.rule(x_scale(max(row.low, x_scale.low)), y, x_scale(min(row.high, x_scale.high)), y, "way")
    if row.other is not None:
        inner.rule(x_scale(row.other), y, x_scale(row.at), y, "way")
        inner.add(tag("path", d=mark_path(row.look.mark, x_scale(row.other), y, 5), class_="hollow"))
    inner.add(tag("path", d=mark_path(row.look.mark, x_scale(row.at), y, 5), class_="mark"))
    drawing.add(tag("g", tag("title", row.text) if row.text else None, inner.inside(), class_=row.look.css))


Ranked = Sequence[tuple[str, float]]
Groups = Sequence[tuple[int, int]]


def ranks_chart(
    ranked: Ranked, groups: Groups, critical_difference: float, looks: Mapping[str, Look], alternative: str
) -> Markup:
    """Draw the methods in order of mean rank; groups are the indices of their first and last method."""

    def draw(width: int) -> Drawing:
        # Names on both sides leave a narrow screen no room for the axis: there they stand one below the other.
        how = _draw_elbows if width > NARROW else _draw_rows
        return how(ranked, groups, critical_difference, looks, width)

    return tag("div", both(draw, alternative), class_="plot")


def _draw_elbows(
    ranked: Ranked, groups: Groups, critical_difference: float, looks: Mapping[str, Look], width: int
) -> Drawing:
    names = [name for name, _ in ranked]
    labels = label_column(names, width, 0.24) + 22
    half = (len(ranked) + 1) // 2
    axis = 50
    lowest_bar = axis + 12 + _BAR * len(groups)
    drawing = Drawing(width, lowest_bar + 14 + _RANK_ROW * half)
    high = max(len(ranked), math.ceil(max(rank for _, rank in ranked)), 2)
    x_scale = Scale(1, high, labels, width - labels)
    drawing.rule(x_scale.start, axis, x_scale.end, axis, "axis")
    every = max(1, math.ceil(high / ((x_scale.end - x_scale.start) / 24)))
    for tick in range(1, high + 1, every):
        drawing.rule(x_scale(tick), axis, x_scale(tick), axis - 5, "axis")
        drawing.text(x_scale(tick), axis - 10, str(tick), "middle", "quiet")
    end = min(x_scale(1 + critical_difference), width - 2)
    drawing.rule(x_scale.start, 8, end, 8, "axis")
    drawing.rule(x_scale.start, 4, x_scale.start, 12, "axis")
    drawing.rule(end, 4, end, 12, "axis")
    written = f"critical difference {number(critical_difference)}"
    if text_width(written) <= width - end - 8:
        drawing.text(end + 8, 12.5, written, css="quiet")
    else:
        drawing.text(end - 8, 25, written, "end", "quiet")
    for row, (first, last) in enumerate(groups):
        height = axis + 12 + _BAR * row
        drawing.rule(x_scale(ranked[first][1]) - 4, height, x_scale(ranked[last][1]) + 4, height, "group")
    for index, (name, rank) in enumerate(ranked):
        is_left = index < half
        y = lowest_bar + 10 + _RANK_ROW * (index if is_left else len(ranked) - 1 - index)
        x = x_scale(rank)
        side = labels - 6 if is_left else width - labels + 6
        look = looks[name]
        elbow = tag("path", d=line_path([(x, axis), (x, y), (side, y)]), class_="elbow")
        drawing.add(tag("g", elbow, class_=look.css))
        drawing.mark(look, x, axis, 4.5, text=f"{name}: mean rank {number(rank)}")
        anchor, shift = ("end", -5) if is_left else ("start", 5)
        drawing.text(side + shift, y + 4.5, name, anchor, most=labels - 12)
    return drawing


def _draw_rows(
    ranked: Ranked, groups: Groups, critical_difference: float, looks: Mapping[str, Look], width: int
) -> Drawing:
    names = RowNames.at([name for name, _ in ranked], width, space=22)
    pitch = _RANK_ROW + names.above
    bottom = pitch * len(ranked) + 6
    drawing = Drawing(width, bottom + 66)
    high = max(len(ranked), math.ceil(max(rank for _, rank in ranked)), 2)
    x_scale = Scale(1, high, max(names.left, 14), width - 14 - _BAR * len(groups))
    x_axis(drawing, x_scale, bottom, number, 6, "mean rank")
    for index, (name, rank) in enumerate(ranked):
        y = pitch * index + names.above + _RANK_ROW / 2 + 2
        names.write(drawing, index, pitch * index, y)
        drawing.rule(x_scale.start, y, x_scale.end, y, "grid")
        drawing.mark(looks[name], x_scale(rank), y, text=f"{name}: mean rank {number(rank)}")
    for order, (first, last) in enumerate(groups):
        x = width - 4 - _BAR * order
        drawing.rule(x, pitch * first + 8, x, pitch * (last + 1) - 4, "group")
    middle = (x_scale.start + x_scale.end) / 2
    drawing.text(middle, bottom + 56, f"critical difference {number(critical_difference)}", "middle", "quiet")
    return drawing

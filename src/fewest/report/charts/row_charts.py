"""A row a method on one scale: a point with its interval, or two points with the way between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.drawing import Drawing, across_ticks, both, label_column, place
from fewest.report.charts.looks import Look, mark_path
from fewest.report.markup import Markup, tag

_ROW = 26


@dataclass(frozen=True)
class MethodRow:
    """A method's point; `other` is a hollow point it is joined to, low and high an interval. `words` say it all."""

    name: str
    look: Look
    at: float
    low: float | None = None
    high: float | None = None
    other: float | None = None
    words: str = ""


def rows_chart(
    rows: Sequence[MethodRow], low: float, high: float, written: Callable[[float], str], title: str, alternative: str
) -> Markup:
    """The rows from top to bottom, the axis below."""

    def draw(width: int) -> Drawing:
        drawing = Drawing(width, _ROW * len(rows) + 54)
        labels = label_column([row.name for row in rows], width)
        across = Scale(low, high, labels + 22, width - 16)
        bottom = _ROW * len(rows) + 8
        rules = "".join(f"M{place(across(tick))} 4V{place(bottom)}" for tick in across.ticks(6))
        drawing.add(tag("path", d=rules, class_="grid"))
        across_ticks(drawing, across, bottom, written, 6 if drawing.is_wide else 4, title)
        for number, row in enumerate(rows):
            y = _ROW * number + _ROW / 2 + 4
            drawing.word(labels + 4, y + 4.5, row.name, "end", most=labels + 2)
            _draw_row(drawing, row, across, y)
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def _draw_row(drawing: Drawing, row: MethodRow, across: Scale, y: float) -> None:
    inner = Drawing(0, 0)
    if row.low is not None and row.high is not None:
        inner.rule(across(max(row.low, across.low)), y, across(min(row.high, across.high)), y, "way")
    if row.other is not None:
        inner.rule(across(row.other), y, across(row.at), y, "way")
        inner.add(tag("path", d=mark_path(row.look.mark, across(row.other), y, 5), class_="hollow"))
    inner.add(tag("path", d=mark_path(row.look.mark, across(row.at), y, 5), class_="mark"))
    drawing.add(tag("g", tag("title", row.words) if row.words else None, inner.inside(), class_=row.look.css))

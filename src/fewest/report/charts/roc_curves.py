"""ROC curves of rankings: the share of the true columns against the share of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.formatting import percent
from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.drawing import NARROW, WIDE, Drawing, line_path, px, x_axis, y_axis
from fewest.report.charts.looks import Look
from fewest.report.charts.pointer_values import Values, keys, line_key, rule_swatch, with_values
from fewest.report.markup import joined, tag

# Shares of the other columns at which values are shown: more of them where rankings differ most.
SHARES = (0.0, 0.01, 0.02, *(step / 20 for step in range(1, 21)))

_N_MARKS = 5


@dataclass(frozen=True)
class TruthCurve:
    """The ROC curve of one method, from (0, 0) to (1, 1)."""

    number: int
    name: str
    look: Look
    points: Sequence[tuple[float, float]]

    def height(self, share: float) -> float:
        """Return the share of the true columns ranked before this share of the others."""
        after = next((i for i, (x, _) in enumerate(self.points) if x > share), len(self.points))
        x0, y0 = self.points[max(after - 1, 0)]
        x1, y1 = self.points[min(after, len(self.points) - 1)]
        return y0 if x1 <= x0 else y0 + (y1 - y0) * (max(share, x0) - x0) / (x1 - x0)


def truth_chart(curves: Sequence[TruthCurve], alternative: str) -> Markup:
    """Draw the curves with their legend. The table behind must have a row per share of SHARES, a column per curve."""
    positions = {kind: [_frame(width)[1](share) for share in SHARES] for kind, width in _KINDS.items()}
    # The method that has found most comes first in the box.
    heights = {curve.number: [-curve.height(share) for share in SHARES] for curve in curves}
    titles = [f"{percent(share)} of the others" for share in SHARES]
    values = Values(positions, titles, heights, SHARES.index(0.1), "Values by share of the other columns")
    chance = tag("span", rule_swatch("chance"), "by chance", class_="key rule always")
    legend = keys(*(line_key(curve.number, curve.name, curve.look) for curve in curves), chance)
    wide, narrow = (_draw(curves, width).svg(alternative, kind) for kind, width in _KINDS.items())
    return joined([legend, with_values(wide, narrow, values)])


_KINDS = {"wide": WIDE, "narrow": NARROW}


def _frame(width: int) -> tuple[Drawing, Scale, Scale]:
    drawing = Drawing(width, 420 if width > NARROW else 340)
    return drawing, Scale(0, 1, 50, width - 26), Scale(0, 1, drawing.height - 46, 26)


def _draw(curves: Sequence[TruthCurve], width: int) -> Drawing:
    drawing, x_scale, y_scale = _frame(width)
    y_axis(drawing, y_scale, x_scale.start, x_scale.end, percent, 6)
    x_axis(drawing, x_scale, y_scale.start, percent, 6, "share of the other columns")
    drawing.text(0, 13, "share of the true columns", css="quiet")
    drawing.rule(x_scale.start, y_scale.start, x_scale.end, y_scale.end, "level chance")
    for order, curve in enumerate(curves):
        line = tag("path", d=line_path([(x_scale(x), y_scale(y)) for x, y in curve.points]), class_="line")
        # The marks of the methods are staggered, since curves often overlap.
        shares = [(step + (order + 1) / (len(curves) + 1)) / _N_MARKS for step in range(_N_MARKS)]
        marked = line_path([(x_scale(share), y_scale(curve.height(share))) for share in shares], keeps_all=True)
        marks = tag("path", d=marked, style=f"marker:url(#{curve.look.marker});stroke-width:2")
        drawing.add(tag("g", line, marks, class_=f"curve {curve.look.css}", data_number=curve.number))
    drawing.add(tag("path", d=f"M0 {px(y_scale.end)}V{px(y_scale.start)}", class_="cursor"))
    return drawing

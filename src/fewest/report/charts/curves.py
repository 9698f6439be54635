"""Lines with their values under the pointer: error by number of features, ROC curves; and what a threshold admits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.display.formatting import MetricFormat, count, counted, frequency, number
from fewest.report.charts.axis_scales import Scale, range_of, spread_apart, tick_text
from fewest.report.charts.drawing import NARROW, WIDE, Drawing, both, line_path, px, text_width, x_axis, y_axis
from fewest.report.charts.looks import Look
from fewest.report.markup import embedded_json, joined, name_of, tag
from fewest.summary import CurvePoint

# Shares of the other columns at which ROC curves show values: more of them where rankings differ most.
SHARES = (0.0, 0.01, 0.02, *(step / 20 for step in range(1, 21)))

_MAX_MARKS = 30
_MAX_LABELS = 14
_MAX_STEPS = 500
_N_ROC_MARKS = 5

# Of the range of the curves: bands may add this much at either end, rules within this much are drawn.
_MAX_BAND, _MAX_BEYOND = 0.35, 0.3
_LEAST_RANGE = 0.01
# Room for the axis below.
_BOTTOM = 46

_Frame = tuple[Drawing, Scale, Scale]


@dataclass(frozen=True)
class _Line:
    number: int
    name: str
    look: Look


@dataclass(frozen=True)
class Curve(_Line):
    """The errors of one method by size."""

    points: Sequence[CurvePoint]


@dataclass(frozen=True)
class TruthCurve(_Line):
    """The ROC curve of one method's ranking, from (0, 0) to (1, 1)."""

    points: Sequence[tuple[float, float]]

    def height(self, share: float) -> float:
        """Return the share of the true columns ranked before this share of the others."""
        return _interpolated(self.points, share)


def _interpolated(points: Sequence[tuple[float, float]], at: float) -> float:
    """Return the height of a line, constant beyond its ends; of a vertical part the last height."""
    after = next((i for i, (x, _) in enumerate(points) if x > at), len(points))
    (x0, y0), (x1, y1) = points[max(after - 1, 0)], points[min(after, len(points) - 1)]
    return y0 if x1 <= x0 else y0 + (y1 - y0) * (max(at, x0) - x0) / (x1 - x0)


def _with_values(
    lines: Sequence[_Line], rules: Sequence[Markup], draw: Callable[[int], _Frame], alternative: str,
    stops: Sequence[float], titles: Sequence[str], values: Sequence[Sequence[float | None]], start: int, label: str,
) -> Markup:  # fmt: skip
    """Draw lines with a legend that switches them off, and a box of values that follows the pointer or arrow keys.

    The script reads the values from the table behind the picture, which has a row per stop and a column per line.

    rules : the rest of the legend
    draw : draws the lines at a width
    stops, titles : where the pointer stops, from left to right, and what is there
    values : by line, what orders the box at each stop; None where a line has none
    start : index of the stop at which the keyboard begins
    label : what the values are, for screen readers
    """
    keys = [
        tag("button", line.look.swatch(), name_of(line.name), type="button", class_="key", aria_pressed="true",
            data_number=line.number)
        for line in lines
    ]  # fmt: skip
    pictures, positions = [], {}
    for kind, width in (("wide", WIDE), ("narrow", NARROW)):
        drawing, x_scale, y_scale = draw(width)
        top, bottom = sorted((y_scale.start, y_scale.end))
        drawing.add(tag("path", d=f"M0 {px(top)}V{px(bottom)}", class_="cursor"))
        pictures.append(drawing.svg(alternative, kind))
        positions[kind] = [round(x_scale(stop), 1) for stop in stops]
    rows = [
        {"number": line.number, "by": [None if value is None else round(value, 5) for value in by]}
        for line, by in zip(lines, values, strict=True)
    ]
    content = {"positions": positions, "titles": titles, "rows": rows, "start": start}
    plot = tag(
        "div", *pictures, tag("div", class_="box", role="status"),
        tag("script", embedded_json(content), type="application/json"), class_="plot", tabindex="0", role="group",
        aria_label=f"{label}: left and right arrow keys move, Escape leaves",
    )  # fmt: skip
    legend = tag("div", *keys, *rules, class_="legend", role="group", aria_label="Lines of the picture")
    return joined([legend, plot])


def _rule_key(css: str, text: str, *, is_needed: bool) -> Markup:
    """Name a rule in the legend, on wide screens only where it is needed."""
    line = tag("path", class_=f"level {css}", d="M1 6H21")
    swatch = Markup(f'<svg class="swatch" viewBox="0 0 22 12" aria-hidden="true">{line}</svg>')
    return tag("span", swatch, text, class_=f"key rule{' always' if is_needed else ''}")


@dataclass(frozen=True)
class Level:
    """A horizontal rule at a loss, such as that of chance."""

    name: str
    long_name: str
    error: float
    css: str


@dataclass(frozen=True)
class Chosen:
    """The recommended size on its curve."""

    curve: Curve
    size: float

    def error(self) -> float:
        """Return the error of the curve at the size, interpolated between its points."""
        return _interpolated([(point.size, point.error) for point in self.curve.points], self.size)


@dataclass(frozen=True)
class CurvePicture:
    """Curves, rules and the recommended size in one picture; it reaches as far as the curves do.

    form : how losses are written
    """

    curves: Sequence[Curve]
    levels: Sequence[Level]
    chosen: Chosen | None
    form: MetricFormat

    @classmethod
    def of(
        cls, curves: Sequence[Curve], levels: Sequence[Level], chosen: Chosen | None, form: MetricFormat
    ) -> tuple[CurvePicture, list[Level]]:
        """Return the picture with the rules that are near the curves, and the rules that lie beyond it."""
        low, high = cls(curves, (), chosen, form).range()
        near = _MAX_BEYOND * (high - low)
        drawn = [level for level in levels if low - near <= level.error <= high + near]
        return cls(curves, drawn, chosen, form), [level for level in levels if level not in drawn]

    def sizes(self) -> list[int]:
        return sorted({point.size for curve in self.curves for point in curve.points})

    def range(self) -> tuple[float, float]:
        """Return the least and the largest loss to be drawn.

        All means and rules are inside, the band of the chosen curve as far as it does not press the curves together.
        From zero where that is near.
        """
        means = [point.error for curve in self.curves for point in curve.points]
        low, high = min(means), max(means)
        beyond = _MAX_BAND * max(high - low, _LEAST_RANGE)
        band = (self.chosen.curve if self.chosen else self.curves[0]).points
        low = max(min([low, *(point.low for point in band)]), low - beyond)
        high = min(max([high, *(point.high for point in band)]), high + beyond)
        levels = [level.error for level in self.levels]
        low, high = min([low, *levels]), max([high, *levels])
        return range_of(low, high)

    def draw(self, width: int) -> _Frame:
        drawing, x_scale, y_scale = self._frame(width)
        right, bottom = x_scale.end, drawing.height - _BOTTOM
        written = tick_text(y_scale.ticks(6), is_percentage=self.form.is_percentage)
        y_axis(drawing, y_scale, x_scale.start, right, lambda loss: written(self.form.value(loss)), 6)
        x_axis(drawing, x_scale, bottom, count, 9 if drawing.is_wide else 6, "number of features")
        for level in self.levels:
            drawing.rule(x_scale.start, y_scale(level.error), right, y_scale(level.error), f"level {level.css}")
        if self.chosen:
            x = x_scale(self.chosen.size)
            drawing.rule(x, 2, x, bottom, "chosen")
            # Text goes to the side of the rule that has room for it.
            side, shift = ("end", -6) if x > (x_scale.start + right) / 2 else ("start", 6)
            drawing.text(x + shift, 13, f"{count(self.chosen.size)} chosen", side, "accent")
        for curve in self.curves:
            drawing.add(self._line(curve, x_scale, y_scale))
        if self.chosen:
            drawing.mark(Look("chosen", 0), x_scale(self.chosen.size), y_scale(self.chosen.error()), 8, "ring")
        if drawing.is_wide:
            self._label(drawing, x_scale, y_scale)
        return drawing, x_scale, y_scale

    def chart(self, alternative: str) -> Markup:
        """Draw all with values and legend. The table behind must have a row per size and a column per curve."""
        # On wide screens the rules are named at the right of the picture, unless there is no room.
        rules = [
            _rule_key(level.css, f"{level.name}: {self.form.text(level.error)}", is_needed=not self._has_labels())
            for level in self.levels
        ]
        sizes = self.sizes()
        known = [{point.size: point.error for point in curve.points} for curve in self.curves]
        requested = self.chosen.size if self.chosen else sizes[0]
        return _with_values(
            self.curves, rules, self.draw, alternative, sizes, [counted(size, "feature") for size in sizes],
            [[errors.get(size) for size in sizes] for errors in known],
            min(range(len(sizes)), key=lambda i: abs(sizes[i] - requested)), "Values by number of features",
        )  # fmt: skip

    def _frame(self, width: int) -> _Frame:
        is_wide = width > NARROW
        drawing = Drawing(width, 420 if is_wide else 320)
        margin = min(max(map(text_width, self._names()), default=0) + 30, 210) if is_wide and self._has_labels() else 14
        sizes = self.sizes()
        is_logarithmic = sizes[0] > 0 and sizes[-1] > 10 * sizes[0]
        x_scale = Scale(sizes[0], sizes[-1], 50, width - margin, is_logarithmic)
        low, high = self.range()
        more = 0.03 * (high - low)
        ends = (drawing.height - _BOTTOM, 22.0)
        # The better a value the lower it lies, unless users read it as a score, the higher the better.
        start, end = ends if self.form.lower_is_better else ends[::-1]
        return drawing, x_scale, Scale(low - (more if low else 0.0), high + more, start, end)

    def _names(self) -> list[str]:
        levels = [f"{level.name}: {self.form.text(level.error)}" for level in self.levels]
        return [curve.name for curve in self.curves] + levels

    def _has_labels(self) -> bool:
        return len(self.curves) + len(self.levels) <= _MAX_LABELS

    def _line(self, curve: Curve, x_scale: Scale, y_scale: Scale) -> Markup:
        points = [(x_scale(point.size), y_scale(point.error)) for point in curve.points]
        parts = []
        is_main = " main" if self.chosen and curve is self.chosen.curve else ""
        # The bands of all would hide each other: the others show when the legend is pointed at.
        if len(points) > 1:
            inside = [(p.size, max(p.low, y_scale.low), min(p.high, y_scale.high)) for p in curve.points]
            boundary = [(x_scale(size), y_scale(high)) for size, _, high in inside]
            boundary += [(x_scale(size), y_scale(low)) for size, low, _ in reversed(inside)]
            parts.append(tag("path", d=line_path(boundary) + "z", class_="band"))
        style = f"marker:url(#{curve.look.marker})" if len(points) <= _MAX_MARKS else None
        parts.append(tag("path", d=line_path(points, keeps_all=True), class_="line", style=style))
        return tag("g", *parts, class_=f"curve {curve.look.css}{is_main}", data_number=curve.number)

    def _label(self, drawing: Drawing, x_scale: Scale, y_scale: Scale) -> None:
        """Write names at the ends of the curves, moved apart where they would overlap."""
        if not self._has_labels():
            return
        ends = [(x_scale(curve.points[-1].size), y_scale(curve.points[-1].error)) for curve in self.curves]
        ends += [(x_scale.end, y_scale(level.error)) for level in self.levels]
        top, bottom = sorted((y_scale.start, y_scale.end))
        heights = spread_apart([y for _, y in ends], 16, top + 4, bottom - 4)
        left, names = x_scale.end + 24, self._names()
        for index, ((x, y), height) in enumerate(zip(ends, heights, strict=True)):
            leader = f"M{px(x + 5)} {px(y)}L{px(x_scale.end + 8)} {px(y)}L{px(left - 4)} {px(height)}"
            label = Drawing(0, 0)
            label.add(tag("path", d=leader, class_="leader"))
            curve = self.curves[index] if index < len(self.curves) else None
            label.text(left, height + 4.5, names[index], css="" if curve else "quiet", most=drawing.width - left)
            written = label.inside()
            drawing.add(
                tag("g", written, class_=f"curve {curve.look.css}", data_number=curve.number) if curve else written
            )


def truth_chart(curves: Sequence[TruthCurve], alternative: str) -> Markup:
    """Draw ROC curves with values. The table behind must have a row per share of SHARES, a column per curve."""

    def draw(width: int) -> _Frame:
        drawing = Drawing(width, 420 if width > NARROW else 340)
        x_scale, y_scale = Scale(0, 1, 50, width - 26), Scale(0, 1, drawing.height - 46, 26)
        y_axis(drawing, y_scale, x_scale.start, x_scale.end, frequency, 6)
        x_axis(drawing, x_scale, y_scale.start, frequency, 6, "share of the other columns")
        drawing.text(0, 13, "share of the true columns", css="quiet")
        drawing.rule(x_scale.start, y_scale.start, x_scale.end, y_scale.end, "level chance")
        for order, curve in enumerate(curves):
            line = tag("path", d=line_path([(x_scale(x), y_scale(y)) for x, y in curve.points]), class_="line")
            # The marks of the methods are staggered, since curves often overlap.
            shares = [(step + (order + 1) / (len(curves) + 1)) / _N_ROC_MARKS for step in range(_N_ROC_MARKS)]
            marked = line_path([(x_scale(share), y_scale(curve.height(share))) for share in shares], keeps_all=True)
            marks = tag("path", d=marked, style=f"marker:url(#{curve.look.marker});stroke-width:2")
            drawing.add(tag("g", line, marks, class_=f"curve {curve.look.css}", data_number=curve.number))
        return drawing, x_scale, y_scale

    # The method that has found most comes first in the box.
    heights = [[-curve.height(share) for share in SHARES] for curve in curves]
    return _with_values(
        curves, [_rule_key("chance", "by chance", is_needed=True)], draw, alternative, SHARES,
        [f"{frequency(share)} of the others" for share in SHARES], heights, SHARES.index(0.1),
        "Values by share of the other columns",
    )  # fmt: skip


@dataclass(frozen=True)
class Steps:
    """One method: thresholds, the lowest first, and the number of features admitted just below each."""

    name: str
    look: Look
    points: Sequence[tuple[float, float]]


def thresholds_chart(found: Sequence[Steps], alternative: str) -> Markup:
    """Draw the number of features by threshold, one staircase per method."""
    legend = [tag("span", steps.look.swatch(), tag("bdi", steps.name), class_="key") for steps in found]
    picture = both(lambda width: _draw_steps(found, width), alternative)
    return joined([tag("div", *legend, class_="legend"), tag("div", picture, class_="plot")])


def _draw_steps(found: Sequence[Steps], width: int) -> Drawing:
    drawing = Drawing(width, 260 if width > 400 else 240)
    betas = [beta for steps in found for beta, _ in steps.points]
    sizes = [size for steps in found for _, size in steps.points]
    x_scale = Scale(min(0.0, *betas), max(betas), 46, width - 14)
    is_logarithmic = max(sizes) > 10 * max(min(sizes), 1)
    y_scale = Scale(1 if is_logarithmic else 0, max(sizes), drawing.height - 46, 10, is_logarithmic)
    y_axis(drawing, y_scale, x_scale.start, x_scale.end, count, 5)
    x_axis(drawing, x_scale, y_scale.start, number, 7 if drawing.is_wide else 5, "threshold (beta)")
    for steps in found:
        points = steps.points[:: max(1, len(steps.points) // _MAX_STEPS)]
        path = f"M{px(x_scale(x_scale.low))} {px(y_scale(max(points[0][1], y_scale.low)))}"
        for (beta, _), after in zip(points, [*points[1:], None], strict=True):
            # Below a threshold its number of features holds, above it that of the next.
            path += f"H{px(x_scale(beta))}"
            path += f"V{px(y_scale(max(after[1], y_scale.low)))}" if after else f"V{px(y_scale.start)}"
        drawing.add(tag("g", tag("path", d=path, class_="line"), class_=steps.look.css))
    return drawing

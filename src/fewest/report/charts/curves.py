"""Curves over the number of features: error with its band, and what a threshold admits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.formatting import count, counted, number, percent
from fewest.report.charts.axis_scales import Scale, spread_apart
from fewest.report.charts.drawing import (
    NARROW,
    WIDE,
    Drawing,
    both,
    line_path,
    px,
    text_width,
    x_axis,
    y_axis,
)
from fewest.report.charts.looks import Look
from fewest.report.charts.pointer_values import Values, keys, line_key, rule_swatch, with_values
from fewest.report.markup import joined, tag
from fewest.summary import CurvePoint

_MAX_MARKS = 30
_MAX_LABELS = 14
_MAX_STEPS = 500


@dataclass(frozen=True)
class Curve:
    """The errors of one method by size."""

    number: int
    name: str
    look: Look
    points: Sequence[CurvePoint]


@dataclass(frozen=True)
class Level:
    """A horizontal rule at an error, such as that of chance."""

    name: str
    error: float
    css: str

    def text(self) -> str:
        return f"{self.name} {percent(self.error)}"


@dataclass(frozen=True)
class Chosen:
    """The recommended size on its curve."""

    curve: Curve
    size: float

    def error(self) -> float:
        """Return the error of the curve at the size, interpolated between its points."""
        before = [point for point in self.curve.points if point.size <= self.size] or [self.curve.points[0]]
        after = [point for point in self.curve.points if point.size >= self.size] or [self.curve.points[-1]]
        p, q = before[-1], after[0]
        return p.error if p.size == q.size else p.error + (q.error - p.error) * (self.size - p.size) / (q.size - p.size)


@dataclass(frozen=True)
class CurvePicture:
    """Curves, rules and the recommended size in one picture."""

    curves: Sequence[Curve]
    levels: Sequence[Level]
    chosen: Chosen | None

    def sizes(self) -> list[int]:
        return sorted({point.size for curve in self.curves for point in curve.points})

    def highest(self) -> float:
        """Return the largest error to be drawn."""
        found = [max(point.error, point.high) for curve in self.curves for point in curve.points]
        return max([*found, *(level.error for level in self.levels), 0.01])

    def draw(self, width: int) -> Drawing:
        drawing, x_scale, y_scale = self._frame(width)
        right, bottom = x_scale.end, y_scale.start
        y_axis(drawing, y_scale, x_scale.start, right, percent, 6)
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
        drawing.add(tag("path", d=f"M0 {px(y_scale.end)}V{px(bottom)}", class_="cursor"))
        return drawing

    def values(self) -> Values:
        """Return the errors for the box that follows the pointer, and the positions of the sizes."""
        sizes = self.sizes()
        positions = {}
        for kind, width in (("wide", WIDE), ("narrow", NARROW)):
            x_scale = self._frame(width)[1]
            positions[kind] = [x_scale(size) for size in sizes]
        errors = {}
        for curve in self.curves:
            known = {point.size: point.error for point in curve.points}
            errors[curve.number] = [known.get(size) for size in sizes]
        requested = self.chosen.size if self.chosen else sizes[0]
        start = min(range(len(sizes)), key=lambda i: abs(sizes[i] - requested))
        titles = [counted(size, "feature") for size in sizes]
        return Values(positions, titles, errors, start, "Values by number of features")

    def legend(self) -> Markup:
        """Make one button per curve, which switches it off and on; the rules are named for narrow screens."""
        # On wide screens the rules are named at the right of the picture, unless there is no room.
        is_needed = "" if self._has_labels() else " always"
        rules = [
            tag("span", rule_swatch(level.css), f"{level.name}: {percent(level.error)}", class_=f"key rule{is_needed}")
            for level in self.levels
        ]
        return keys(*(line_key(curve.number, curve.name, curve.look) for curve in self.curves), *rules)

    def _frame(self, width: int) -> tuple[Drawing, Scale, Scale]:
        is_wide = width > NARROW
        drawing = Drawing(width, 420 if is_wide else 320)
        names = [curve.name for curve in self.curves] + [level.text() for level in self.levels]
        margin = min(max(map(text_width, names), default=0) + 30, 210) if is_wide and self._has_labels() else 14
        sizes = self.sizes()
        is_logarithmic = sizes[0] > 0 and sizes[-1] > 10 * sizes[0]
        x_scale = Scale(sizes[0], sizes[-1], 50, width - margin, is_logarithmic)
        top = self.highest()
        return drawing, x_scale, Scale(0, top * 1.03, drawing.height - 46, 22)

    def _has_labels(self) -> bool:
        return len(self.curves) + len(self.levels) <= _MAX_LABELS

    def _line(self, curve: Curve, x_scale: Scale, y_scale: Scale) -> Markup:
        points = [(x_scale(point.size), y_scale(point.error)) for point in curve.points]
        parts = []
        is_main = " main" if self.chosen and curve is self.chosen.curve else ""
        if len(points) > 1:
            boundary = [(x_scale(point.size), y_scale(point.high)) for point in curve.points]
            boundary += [(x_scale(point.size), y_scale(point.low)) for point in reversed(curve.points)]
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
        heights = spread_apart([y for _, y in ends], 16, y_scale.end + 4, y_scale.start - 4)
        left = x_scale.end + 24
        for index, ((x, y), height) in enumerate(zip(ends, heights, strict=True)):
            leader = f"M{px(x + 5)} {px(y)}L{px(x_scale.end + 8)} {px(y)}L{px(left - 4)} {px(height)}"
            label = Drawing(0, 0)
            if index < len(self.curves):
                curve = self.curves[index]
                label.text(left, height + 4.5, curve.name, most=drawing.width - left)
                line = tag("path", d=leader, class_="leader")
                drawing.add(tag("g", line, label.inside(), class_=f"curve {curve.look.css}", data_number=curve.number))
            else:
                level = self.levels[index - len(self.curves)]
                label.text(left, height + 4.5, level.text(), css="quiet", most=drawing.width - left)
                drawing.add(tag("path", d=leader, class_="leader"), label.inside())


def curves_chart(picture: CurvePicture, alternative: str) -> Markup:
    """Draw the picture with its legend. The table behind it must have a row per size and a column per curve."""
    wide, narrow = picture.draw(WIDE).svg(alternative, "wide"), picture.draw(NARROW).svg(alternative, "narrow")
    return joined([picture.legend(), with_values(wide, narrow, picture.values())])


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
        every = max(1, len(steps.points) // _MAX_STEPS)
        points = steps.points[::every]
        path = f"M{px(x_scale(x_scale.low))} {px(y_scale(max(points[0][1], y_scale.low)))}"
        for (beta, _), after in zip(points, [*points[1:], None], strict=True):
            # Below a threshold its number of features holds, above it that of the next.
            path += f"H{px(x_scale(beta))}"
            path += f"V{px(y_scale(max(after[1], y_scale.low)))}" if after else f"V{px(y_scale.start)}"
        drawing.add(tag("g", tag("path", d=path, class_="line"), class_=steps.look.css))
    return drawing

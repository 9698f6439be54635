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
    across_ticks,
    both,
    line_path,
    px,
    upward_ticks,
    words_width,
)
from fewest.report.charts.looks import Look
from fewest.report.charts.pointer_values import Values, keys, line_key, rule_swatch, with_values
from fewest.report.markup import joined, tag
from fewest.summary import CurvePoint

_MOST_MARKS = 30
_MOST_LABELS = 14
_MOST_STEPS = 500


@dataclass(frozen=True)
class Curve:
    """The errors of one method by size."""

    number: int
    name: str
    look: Look
    points: Sequence[CurvePoint]


@dataclass(frozen=True)
class Level:
    """A thin rule across the picture."""

    name: str
    error: float
    css: str

    def words(self) -> str:
        return f"{self.name} {percent(self.error)}"


@dataclass(frozen=True)
class Chosen:
    """The recommended size on its curve."""

    curve: Curve
    size: float

    def error(self) -> float:
        """The height of the curve there, between its points if need be."""
        before = [point for point in self.curve.points if point.size <= self.size] or [self.curve.points[0]]
        after = [point for point in self.curve.points if point.size >= self.size] or [self.curve.points[-1]]
        p, q = before[-1], after[0]
        return p.error if p.size == q.size else p.error + (q.error - p.error) * (self.size - p.size) / (q.size - p.size)


@dataclass(frozen=True)
class CurvePicture:
    """All that one picture shows."""

    curves: Sequence[Curve]
    levels: Sequence[Level]
    chosen: Chosen | None

    def sizes(self) -> list[int]:
        return sorted({point.size for curve in self.curves for point in curve.points})

    def highest(self) -> float:
        """The top of the picture."""
        found = [max(point.error, point.high) for curve in self.curves for point in curve.points]
        return max([*found, *(level.error for level in self.levels), 0.01])

    def draw(self, width: int) -> Drawing:
        drawing, across, up = self._frame(width)
        right, bottom = across.end, up.start
        upward_ticks(drawing, up, across.start, right, percent, 6)
        across_ticks(drawing, across, bottom, count, 9 if drawing.is_wide else 6, "number of features")
        for level in self.levels:
            drawing.rule(across.start, up(level.error), right, up(level.error), f"level {level.css}")
        if self.chosen:
            x = across(self.chosen.size)
            drawing.rule(x, 2, x, bottom, "chosen")
            # Words go to the side of the rule that has room for them.
            side, shift = ("end", -6) if x > (across.start + right) / 2 else ("start", 6)
            drawing.word(x + shift, 13, f"{count(self.chosen.size)} chosen", side, "accent")
        for curve in self.curves:
            drawing.add(self._line(curve, across, up))
        if self.chosen:
            drawing.mark(Look("chosen", 0), across(self.chosen.size), up(self.chosen.error()), 8, "ring")
        if drawing.is_wide:
            self._label(drawing, across, up)
        drawing.add(tag("path", d=f"M0 {px(up.end)}V{px(bottom)}", class_="cursor"))
        return drawing

    def values(self) -> Values:
        """The errors for the box that follows the pointer, and where the sizes lie in both pictures."""
        sizes = self.sizes()
        positions = {}
        for kind, width in (("wide", WIDE), ("narrow", NARROW)):
            across = self._frame(width)[1]
            positions[kind] = [across(size) for size in sizes]
        errors = {}
        for curve in self.curves:
            known = {point.size: point.error for point in curve.points}
            errors[curve.number] = [known.get(size) for size in sizes]
        requested = self.chosen.size if self.chosen else sizes[0]
        start = min(range(len(sizes)), key=lambda i: abs(sizes[i] - requested))
        titles = [counted(size, "feature") for size in sizes]
        return Values(positions, titles, errors, start, "Values by number of features")

    def legend(self) -> Markup:
        """A button a line, which switches it off and on; the thin rules are named for narrow screens."""
        # On wide screens the rules are named beside the picture, unless there is no room.
        is_needed = "" if self._has_labels() else " always"
        rules = [
            tag("span", rule_swatch(level.css), f"{level.name}: {percent(level.error)}", class_=f"key rule{is_needed}")
            for level in self.levels
        ]
        return keys(*(line_key(curve.number, curve.name, curve.look) for curve in self.curves), *rules)

    def _frame(self, width: int) -> tuple[Drawing, Scale, Scale]:
        is_wide = width > NARROW
        drawing = Drawing(width, 420 if is_wide else 320)
        names = [curve.name for curve in self.curves] + [level.words() for level in self.levels]
        margin = min(max(map(words_width, names), default=0) + 30, 210) if is_wide and self._has_labels() else 14
        sizes = self.sizes()
        is_logarithmic = sizes[0] > 0 and sizes[-1] > 10 * sizes[0]
        across = Scale(sizes[0], sizes[-1], 50, width - margin, is_logarithmic)
        top = self.highest()
        return drawing, across, Scale(0, top * 1.03, drawing.height - 46, 22)

    def _has_labels(self) -> bool:
        return len(self.curves) + len(self.levels) <= _MOST_LABELS

    def _line(self, curve: Curve, across: Scale, up: Scale) -> Markup:
        points = [(across(point.size), up(point.error)) for point in curve.points]
        parts = []
        is_main = " main" if self.chosen and curve is self.chosen.curve else ""
        if len(points) > 1:
            outline = [(across(point.size), up(point.high)) for point in curve.points]
            outline += [(across(point.size), up(point.low)) for point in reversed(curve.points)]
            parts.append(tag("path", d=line_path(outline) + "z", class_="band"))
        style = f"marker:url(#{curve.look.marker})" if len(points) <= _MOST_MARKS else None
        parts.append(tag("path", d=line_path(points, keeps_all=True), class_="line", style=style))
        return tag("g", *parts, class_=f"curve {curve.look.css}{is_main}", data_number=curve.number)

    def _label(self, drawing: Drawing, across: Scale, up: Scale) -> None:
        """Names at the ends of the lines, moved apart where they would lie upon each other."""
        if not self._has_labels():
            return
        ends = [(across(curve.points[-1].size), up(curve.points[-1].error)) for curve in self.curves]
        ends += [(across.end, up(level.error)) for level in self.levels]
        heights = spread_apart([y for _, y in ends], 16, up.end + 4, up.start - 4)
        left = across.end + 24
        for index, ((x, y), height) in enumerate(zip(ends, heights, strict=True)):
            leader = f"M{px(x + 5)} {px(y)}L{px(across.end + 8)} {px(y)}L{px(left - 4)} {px(height)}"
            words = Drawing(0, 0)
            if index < len(self.curves):
                curve = self.curves[index]
                words.word(left, height + 4.5, curve.name, most=drawing.width - left)
                line = tag("path", d=leader, class_="leader")
                drawing.add(tag("g", line, words.inside(), class_=f"curve {curve.look.css}", data_number=curve.number))
            else:
                level = self.levels[index - len(self.curves)]
                words.word(left, height + 4.5, level.words(), css="quiet", most=drawing.width - left)
                drawing.add(tag("path", d=leader, class_="leader"), words.inside())


def curves_chart(picture: CurvePicture, alternative: str) -> Markup:
    """The picture with its legend. The table behind it must have a row a size and a column a curve."""
    wide, narrow = picture.draw(WIDE).svg(alternative, "wide"), picture.draw(NARROW).svg(alternative, "narrow")
    return joined([picture.legend(), with_values(wide, narrow, picture.values())])


@dataclass(frozen=True)
class Steps:
    """(threshold, features admitted just below it), the lowest threshold first."""

    name: str
    look: Look
    points: Sequence[tuple[float, float]]


def thresholds_chart(found: Sequence[Steps], alternative: str) -> Markup:
    """All staircases on one pair of axes."""
    legend = [tag("span", steps.look.swatch(), tag("bdi", steps.name), class_="key") for steps in found]
    picture = both(lambda width: _draw_steps(found, width), alternative)
    return joined([tag("div", *legend, class_="legend"), tag("div", picture, class_="plot")])


def _draw_steps(found: Sequence[Steps], width: int) -> Drawing:
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
        walk = f"M{px(across(across.low))} {px(up(max(points[0][1], up.low)))}"
        for (beta, _), after in zip(points, [*points[1:], None], strict=True):
            # Below a threshold its number of features holds, above it that of the next.
            walk += f"H{px(across(beta))}"
            walk += f"V{px(up(max(after[1], up.low)))}" if after else f"V{px(up.start)}"
        drawing.add(tag("g", tag("path", d=walk, class_="line"), class_=steps.look.css))
    return drawing

"""Error against the number of features: a line a method, with its band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.formatting import count, counted, percent
from fewest.report.charts.axis_scales import Scale, spread_apart
from fewest.report.charts.drawing import (
    NARROW,
    WIDE,
    Drawing,
    across_ticks,
    line_path,
    place,
    upward_ticks,
    words_width,
)
from fewest.report.charts.looks import Look
from fewest.report.charts.values import Values, keys, line_key, rule_swatch, with_values
from fewest.report.markup import Markup, joined, tag

_MOST_MARKS = 30
_MOST_LABELS = 14


@dataclass(frozen=True)
class Curve:
    """One method: (size, error, low, high) by size; low and high may be missing."""

    number: int
    name: str
    look: Look
    points: Sequence[tuple[float, float, float | None, float | None]]


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
    """Where on whose curve the answer lies."""

    curve: Curve
    size: float

    def error(self) -> float:
        """The height of the curve there, between its points if need be."""
        before = [point for point in self.curve.points if point[0] <= self.size] or [self.curve.points[0]]
        after = [point for point in self.curve.points if point[0] >= self.size] or [self.curve.points[-1]]
        (x0, y0), (x1, y1) = before[-1][:2], after[0][:2]
        return y0 if x1 == x0 else y0 + (y1 - y0) * (self.size - x0) / (x1 - x0)


@dataclass(frozen=True)
class CurvePicture:
    """All that one picture shows."""

    curves: Sequence[Curve]
    levels: Sequence[Level]
    chosen: Chosen | None

    def sizes(self) -> list[float]:
        return sorted({point[0] for curve in self.curves for point in curve.points})

    def highest(self) -> float:
        """The top of the picture."""
        found = [max(error, high or error) for curve in self.curves for _, error, _, high in curve.points]
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
            side, gap = ("end", -6) if x > (across.start + right) / 2 else ("start", 6)
            drawing.word(x + gap, 13, f"{count(self.chosen.size)} chosen", side, "accent")
        for curve in self.curves:
            drawing.add(self._line(curve, across, up))
        if self.chosen:
            drawing.mark(Look("chosen", 0), across(self.chosen.size), up(self.chosen.error()), 8, "ring")
        if drawing.is_wide:
            self._label(drawing, across, up)
        drawing.add(tag("path", d=f"M0 {place(up.end)}V{place(bottom)}", class_="cursor"))
        return drawing

    def values(self) -> Values:
        """The errors for the box that follows the pointer, and where the sizes lie in both pictures."""
        sizes = self.sizes()
        places = {}
        for kind, width in (("wide", WIDE), ("narrow", NARROW)):
            across = self._frame(width)[1]
            places[kind] = [across(size) for size in sizes]
        errors = {}
        for curve in self.curves:
            known = {point[0]: point[1] for point in curve.points}
            errors[curve.number] = [known.get(size) for size in sizes]
        wanted = self.chosen.size if self.chosen else sizes[0]
        start = min(range(len(sizes)), key=lambda i: abs(sizes[i] - wanted))
        titles = [counted(size, "feature") for size in sizes]
        return Values(places, titles, errors, start, "Values by number of features")

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
        across = Scale(sizes[0], sizes[-1], 46, width - margin, is_logarithmic)
        top = self.highest()
        return drawing, across, Scale(0, top * 1.03, drawing.height - 46, 22)

    def _has_labels(self) -> bool:
        return len(self.curves) + len(self.levels) <= _MOST_LABELS

    def _line(self, curve: Curve, across: Scale, up: Scale) -> Markup:
        points = [(across(size), up(error)) for size, error, _, _ in curve.points]
        bounds = [
            (across(size), up(low), up(high))
            for size, _, low, high in curve.points
            if low is not None and high is not None
        ]
        parts = []
        is_main = " main" if self.chosen and curve is self.chosen.curve else ""
        if len(bounds) > 1:
            outline = [(x, high) for x, _, high in bounds] + [(x, low) for x, low, _ in reversed(bounds)]
            parts.append(tag("path", d=line_path(outline) + "z", class_="band"))
        style = f"marker:url(#{curve.look.marker})" if len(points) <= _MOST_MARKS else None
        parts.append(tag("path", d=line_path(points, keeps_all=True), class_="line", style=style))
        return tag("g", *parts, class_=f"curve {curve.look.css}{is_main}", data_number=curve.number)

    def _label(self, drawing: Drawing, across: Scale, up: Scale) -> None:
        """Names at the ends of the lines, moved apart where they would lie upon each other."""
        if not self._has_labels():
            return
        ends = [(across(curve.points[-1][0]), up(curve.points[-1][1])) for curve in self.curves]
        ends += [(across.end, up(level.error)) for level in self.levels]
        heights = spread_apart([y for _, y in ends], 16, up.end + 4, up.start - 4)
        left = across.end + 24
        for number, ((x, y), height) in enumerate(zip(ends, heights, strict=True)):
            leader = f"M{place(x + 5)} {place(y)}L{place(across.end + 8)} {place(y)}L{place(left - 4)} {place(height)}"
            words = Drawing(0, 0)
            if number < len(self.curves):
                curve = self.curves[number]
                words.word(left, height + 4.5, curve.name, most=drawing.width - left)
                line = tag("path", d=leader, class_="leader")
                drawing.add(tag("g", line, words.inside(), class_=f"curve {curve.look.css}", data_number=curve.number))
            else:
                level = self.levels[number - len(self.curves)]
                words.word(left, height + 4.5, level.words(), css="quiet", most=drawing.width - left)
                drawing.add(tag("path", d=leader, class_="leader"), words.inside())


def curves_chart(picture: CurvePicture, alternative: str) -> Markup:
    """The picture with its legend. The table behind it must have a row a size and a column a curve."""
    wide, narrow = picture.draw(WIDE).svg(alternative, "wide"), picture.draw(NARROW).svg(alternative, "narrow")
    return joined([picture.legend(), with_values(wide, narrow, picture.values())])

"""Error against the number of features: a line a method, with its band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fewest.report.drawing import (
    NARROW,
    WIDE,
    Drawing,
    across_ticks,
    line_path,
    place,
    upward_ticks,
    words_width,
)
from fewest.report.looks import Look, mark_path
from fewest.report.markup import Markup, embedded_json, joined, tag
from fewest.report.numbers import count, counted, percent, with_interval
from fewest.report.scales import Scale, spread_apart

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

    def data(self) -> Markup:
        """The values for the box that follows the pointer, and where the sizes lie in both pictures."""
        sizes = self.sizes()
        places = {}
        for kind, width in (("wide", WIDE), ("narrow", NARROW)):
            across = self._frame(width)[1]
            places[kind] = [round(across(size), 1) for size in sizes]
        rows: list[dict[str, Any]] = []
        for curve in self.curves:
            known = {point[0]: point for point in curve.points}
            rows.append(
                {
                    "number": curve.number,
                    "name": curve.name,
                    "look": curve.look.css,
                    "mark": mark_path(curve.look.mark, 6, 6, 4.5),
                    "errors": [known[size][1] if size in known else None for size in sizes],
                    "shown": [with_interval(*known[size][1:]) if size in known else None for size in sizes],
                }
            )
        wanted = self.chosen.size if self.chosen else sizes[0]
        start = min(range(len(sizes)), key=lambda i: abs(sizes[i] - wanted))
        content = {
            "places": places,
            "titles": [counted(size, "feature") for size in sizes],
            "rows": rows,
            "start": start,
        }
        return tag("script", embedded_json(content), type="application/json")

    def legend(self) -> Markup:
        """A button a line, which switches it off and on; the thin rules are named for narrow screens."""
        keys = [
            tag(
                "button",
                curve.look.swatch(),
                tag("bdi", curve.name),
                type="button",
                class_="key",
                aria_pressed="true",
                data_number=curve.number,
            )
            for curve in self.curves
        ]
        # On wide screens the rules are named beside the picture, unless there is no room.
        is_needed = "" if self._has_labels() else " always"
        rules = [
            tag("span", _rule_swatch(level.css), f"{level.name}: {percent(level.error)}", class_=f"key rule{is_needed}")
            for level in self.levels
        ]
        return tag("div", *keys, *rules, class_="legend", role="group", aria_label="Lines of the picture")

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
        parts.append(tag("path", d=line_path(points), class_="line"))
        if len(points) <= _MOST_MARKS:
            marks = "".join(mark_path(curve.look.mark, x, y, 3.2) for x, y in points)
            parts.append(tag("path", d=marks, class_="mark"))
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
    """The picture with its legend and the box that shows values under the pointer or the arrow keys."""
    plot = tag(
        "div",
        picture.draw(WIDE).svg(alternative, "wide"),
        picture.draw(NARROW).svg(alternative, "narrow"),
        tag("div", class_="box", role="status"),
        picture.data(),
        class_="plot",
        tabindex="0",
        role="group",
        aria_label="Values by number of features: left and right arrow keys move, Escape leaves",
    )
    return joined([picture.legend(), plot])


def _rule_swatch(css: str) -> Markup:
    line = tag("path", class_=f"level {css}", d="M1 6H21")
    return Markup(f'<svg class="swatch" viewBox="0 0 22 12" aria-hidden="true">{line}</svg>')

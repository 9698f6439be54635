"""SVG drawings: lines, marks, text, axes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markupsafe import Markup

from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.looks import Look, mark_path
from fewest.report.markup import joined, tag

# Every picture is drawn twice, for wide and narrow screens: scaled down its text could not be read.
WIDE = 760
NARROW = 350

# Of the text in pictures, in pixels of the drawing.
FONT_SIZE = 13
_WIDE_LETTERS, _NARROW_LETTERS = frozenset("mwMW%@"), frozenset("ijltfr.,:;'|!()[] ")


class Drawing:
    """Collect the elements of an SVG; the origin is at the top left."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[Markup] = []

    @property
    def is_wide(self) -> bool:
        return self.width > NARROW

    def add(self, *parts: Markup) -> None:
        """Add finished elements."""
        self._parts.extend(parts)

    def rule(self, x1: float, y1: float, x2: float, y2: float, css: str = "hair") -> None:
        """Draw a straight line."""
        straight = f"H{px(x2)}" if px(y1) == px(y2) else f"V{px(y2)}" if px(x1) == px(x2) else ""
        d = f"M{px(x1)} {px(y1)}" + (straight or f"L{px(x2)} {px(y2)}")
        self.add(tag("path", d=d, class_=css))

    def text(self, x: float, y: float, text: str, anchor: str = "start", css: str = "", most: float = 1e9) -> None:
        """Write text, cut with an ellipsis where it is wider than `most`; hovering shows all of it."""
        # Bold letters are wider.
        short = shortened(text, most / 1.15 if css == "strong" else most)
        full = tag("title", text) if short != text else None
        classes = " ".join(filter(None, (css, {"middle": "mid", "end": "end"}.get(anchor, ""))))
        self.add(tag("text", short, full, x=px(x), y=px(y), class_=classes or None))

    def mark(self, look: Look, x: float, y: float, r: float = 4.5, css: str = "mark", text: str = "") -> None:
        """Draw the mark of a method or class, with text that hovering shows."""
        mark = tag("path", d=mark_path(look.mark, x, y, r), class_=css)
        self.add(tag("g", tag("title", text) if text else None, mark, class_=look.css))

    def inside(self) -> Markup:
        """Return the elements without the svg element around them."""
        return joined(self._parts)

    def svg(self, alternative: str, kind: str) -> Markup:
        """Return the svg element with its text alternative; without one it is hidden from screen readers."""
        label = f'role="img" aria-label="{joined([alternative])}"' if alternative else 'aria-hidden="true"'
        opening = (
            f'<svg class="{kind}" viewBox="0 0 {px(self.width)} {px(self.height)}" width="{px(self.width)}" '
            f'height="{px(self.height)}" {label}>'
        )
        return Markup(f"{opening}{self.inside()}</svg>")


def px(value: float) -> str:
    """Write a coordinate, rounded to a tenth of a pixel."""
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def line_path(points: Iterable[tuple[float, float]], parts: int = 10, *, keeps_all: bool = False) -> str:
    """Write a path through the points, rounded to one in `parts` of a pixel.

    Each point is written as its step from the one before, which takes fewer characters. Points on the way straight
    across or straight up are left out, unless all are kept because each has its mark.
    """
    rounded = [(round(parts * x), round(parts * y)) for x, y in points]
    steps: list[tuple[int, int]] = []
    for (x0, y0), (x1, y1) in pairwise(rounded):
        step = (x1 - x0, y1 - y0)
        if steps and not keeps_all and (_goes_on(steps[-1], step) or _goes_on(steps[-1][::-1], step[::-1])):
            step = (steps[-1][0] + step[0], steps[-1][1] + step[1])
            steps.pop()
        if step != (0, 0) or keeps_all:
            steps.append(step)
    start = f"M{_side_by_side(rounded[0], parts)}"
    return start + ("l" + _side_by_side([value for step in steps for value in step], parts) if steps else "")


def _goes_on(before: tuple[int, int], step: tuple[int, int]) -> bool:
    """Return whether a horizontal step continues the one before."""
    return before[1] == step[1] == 0 and before[0] * step[0] >= 0


def _side_by_side(values: Iterable[int], parts: int) -> str:
    """Write numbers with no more between them than is needed to separate them."""
    written = ""
    for value in values:
        each = f"{value / parts:.3f}".rstrip("0").rstrip(".") if value % parts else str(value // parts)
        each = each.replace("0.", ".", 1) if each.startswith(("0.", "-0.")) else each
        written += each if not written or each.startswith("-") else f" {each}"
    return written


def stretched(width: float, height: float, *content: Markup) -> Markup:
    """Return a picture without text that stretches to the room it is given; lines keep their width."""
    return Markup(
        f'<svg class="stretched" viewBox="0 0 {px(width)} {px(height)}" preserveAspectRatio="none" '
        f'aria-hidden="true">{joined(content)}</svg>'
    )


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Estimate the width of a text in pixels; fonts differ, so rather too wide than too narrow."""
    return size * sum(map(_letter_width, text))


def shortened(text: str, most: float) -> str:
    """Cut a text to a width, with an ellipsis."""
    if text_width(text) <= most:
        return text
    reached, kept = FONT_SIZE * 0.8, ""
    for letter in text:
        reached += FONT_SIZE * _letter_width(letter)
        if reached > most:
            break
        kept += letter
    return kept.rstrip() + "…"


@cache
def _letter_width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in _WIDE_LETTERS:
        return 0.95
    if letter in _NARROW_LETTERS:
        return 0.42
    # Names of genes and probes are capitals and digits, of which wide fonts make more than of small letters.
    return 0.74 if letter.isupper() else 0.64 if letter.isdigit() else 0.6


def x_axis(
    drawing: Drawing, scale: Scale, y: float, written: Callable[[float], str], most: int, title: str = ""
) -> None:
    """Draw the axis below a picture, with round values and a title."""
    ticks = "".join(f"M{px(scale(value))} {px(y)}v4" for value in scale.ticks(most))
    drawing.add(tag("path", d=f"M{px(scale.start)} {px(y)}H{px(scale.end)}{ticks}", class_="hair"))
    reached = -1e9
    for value in scale.ticks(most):
        text = written(value)
        x, half = scale(value), text_width(text) / 2
        # Labels at the edge are moved inside, and left out where they would touch the one before.
        middle = min(max(x, half), drawing.width - half)
        if middle - half > reached + 4:
            drawing.text(middle, y + 18, text, "middle", "quiet")
            reached = middle + half
    if title:
        drawing.text((scale.start + scale.end) / 2, y + 38, title, "middle", "quiet")


def y_axis(
    drawing: Drawing, scale: Scale, left: float, right: float, written: Callable[[float], str], most: int
) -> None:
    """Draw horizontal grid lines, each with its value at the left."""
    rules = "".join(f"M{px(left)} {px(scale(value))}H{px(right)}" for value in scale.ticks(most))
    drawing.add(tag("path", d=rules, class_="grid"))
    for value in scale.ticks(most):
        drawing.text(left - 7, scale(value) + 4.5, written(value), "end", "quiet")


def both(draw: Callable[[int], Drawing], alternative: str) -> Markup:
    """Draw a picture for wide and for narrow screens; the style sheet shows the one that fits."""
    return joined([draw(WIDE).svg(alternative, "wide"), draw(NARROW).svg(alternative, "narrow")])


@dataclass(frozen=True)
class RowNames:
    """The names of the rows of a picture: at the left, or above each row where a narrow screen has no room for them.

    left : where the rows begin
    above : the height of the name above a row, 0 where names are at the left
    """

    names: Sequence[str]
    left: float
    above: float

    @classmethod
    def at(cls, names: Sequence[str], width: float, share: float = 0.42, space: float = 12.0) -> RowNames:
        """Find the room for names in a picture of some width, at the left at most a share of it."""
        longest = max(map(text_width, names), default=0.0)
        if longest > share * width and width <= NARROW:
            return cls(names, 2.0, FONT_SIZE + 5.0)
        return cls(names, min(longest, share * width) + space, 0.0)

    def write(self, drawing: Drawing, index: int, top: float, middle: float) -> None:
        """Write the name of a row that begins, with its name, at the top."""
        if self.above:
            drawing.text(0, top + FONT_SIZE, self.names[index], most=drawing.width)
        else:
            drawing.text(self.left - 8, middle + 4.5, self.names[index], "end", most=self.left - 8)


def label_column(names: Sequence[str], width: float, share: float = 0.42) -> float:
    """Return the width of the column of names at the left of a picture, at most a share of it."""
    return min(max((text_width(name) for name in names), default=0), share * width)

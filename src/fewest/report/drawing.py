"""A picture as SVG: lines, marks and words at places, and the frame with its two axes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from fewest.report.looks import Look, mark_path
from fewest.report.markup import Markup, joined, tag
from fewest.report.scales import Scale

#: Every picture is drawn twice, for a wide screen and for a telephone: scaled down its words could not be read.
WIDE = 760
NARROW = 350

#: Size of the words in pictures, in pixels of the drawing.
WORDS = 13


class Drawing:
    """Collects what is drawn; the origin is at the top left."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[Markup] = []

    @property
    def is_wide(self) -> bool:
        return self.width > NARROW

    def add(self, *parts: Markup) -> None:
        """Anything ready-made."""
        self._parts.extend(parts)

    def rule(self, x1: float, y1: float, x2: float, y2: float, css: str = "hair") -> None:
        """A straight line."""
        self.add(tag("path", d=f"M{place(x1)} {place(y1)}L{place(x2)} {place(y2)}", class_=css))

    def word(self, x: float, y: float, words: str, anchor: str = "start", css: str = "", most: float = 1e9) -> None:
        """Words, cut short with an ellipsis where they are wider than the most allowed; hovering shows all of them."""
        # Strong letters are wider.
        short = shortened(words, most / 1.15 if css == "strong" else most)
        whole = tag("title", words) if short != words else None
        classes = " ".join(filter(None, (css, {"middle": "mid", "end": "end"}.get(anchor, ""))))
        self.add(tag("text", short, whole, x=place(x), y=place(y), class_=classes or None))

    def mark(self, look: Look, x: float, y: float, r: float = 4.5, css: str = "mark", words: str = "") -> None:
        """A method's or class's mark, with words that hovering shows."""
        mark = tag("path", d=mark_path(look.mark, x, y, r), class_=css)
        self.add(tag("g", tag("title", words) if words else None, mark, class_=look.css))

    def inside(self) -> Markup:
        """What was drawn, without the element around it."""
        return joined(self._parts)

    def svg(self, alternative: str, kind: str) -> Markup:
        """The element, with its text alternative."""
        opening = (
            f'<svg class="{kind}" viewBox="0 0 {place(self.width)} {place(self.height)}" width="{place(self.width)}" '
            f'height="{place(self.height)}" role="img" aria-label="{joined([alternative])}">'
        )
        return Markup(f"{opening}{self.inside()}</svg>")


def place(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough."""
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def line_path(points: Iterable[tuple[float, float]]) -> str:
    """A line through the points."""
    return "M" + "L".join(f"{place(x)} {place(y)}" for x, y in points)


def words_width(words: str, size: float = WORDS) -> float:
    """About how wide the words are; fonts differ, so this is rather too much than too little."""
    return size * sum(map(_letter_width, words))


def shortened(words: str, most: float) -> str:
    """The words, or their beginning and an ellipsis, no wider than allowed."""
    if words_width(words) <= most:
        return words
    reached, kept = WORDS * 0.8, ""
    for letter in words:
        reached += WORDS * _letter_width(letter)
        if reached > most:
            break
        kept += letter
    return kept.rstrip() + "…"


@cache
def _letter_width(letter: str) -> float:
    return 1.05 if unicodedata.east_asian_width(letter) in "WF" else 0.58


def across_ticks(
    drawing: Drawing, scale: Scale, y: float, written: Callable[[float], str], most: int, title: str = ""
) -> None:
    """The axis below a picture: a hairline, its round values, what they are."""
    drawing.rule(scale.start, y, scale.end, y)
    reached = -1e9
    for value in scale.ticks(most):
        words = written(value)
        x, half = scale(value), words_width(words) / 2
        drawing.rule(x, y, x, y + 4)
        # Words at the edge are moved inside, and left out where they would touch the ones before.
        middle = min(max(x, half), drawing.width - half)
        if middle - half > reached + 4:
            drawing.word(middle, y + 18, words, "middle", "quiet")
            reached = middle + half
    if title:
        drawing.word((scale.start + scale.end) / 2, y + 38, title, "middle", "quiet")


def upward_ticks(
    drawing: Drawing, scale: Scale, left: float, right: float, written: Callable[[float], str], most: int
) -> None:
    """Hairlines across a picture, each with its value at the left."""
    for value in scale.ticks(most):
        y = scale(value)
        drawing.rule(left, y, right, y, "grid")
        drawing.word(left - 7, y + 4.5, written(value), "end", "quiet")


def both(draw: Callable[[int], Drawing], alternative: str) -> Markup:
    """The picture for wide screens and the one for narrow ones; the style sheet shows the one that fits."""
    return joined([draw(WIDE).svg(alternative, "wide"), draw(NARROW).svg(alternative, "narrow")])


def label_column(names: Sequence[str], width: float, share: float = 0.42) -> float:
    """How wide the column of names at the left of a picture is: as they need, but no more than a share of it."""
    return min(max((words_width(name) for name in names), default=0), share * width)

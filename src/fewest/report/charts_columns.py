"""The score of every column in the order of the table: a small picture a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.report.drawing import Drawing, across_ticks, both, place
from fewest.report.looks import Look
from fewest.report.markup import Markup, tag
from fewest.report.numbers import count, number
from fewest.report.scales import Scale

_HEIGHT = 64
_STEP = _HEIGHT + 34


@dataclass(frozen=True)
class ColumnScores:
    """A method and the score it gave each column; None where it gave none."""

    name: str
    look: Look
    scores: Sequence[float | None]


def columns_chart(found: Sequence[ColumnScores], n_columns: int, alternative: str) -> Markup:
    """Each method on its own scale, since scores of methods cannot be compared."""

    def draw(width: int) -> Drawing:
        drawing = Drawing(width, _STEP * len(found) + 30)
        across = Scale(0, n_columns, 1, width - 1)
        # Finer than one and a half pixels nothing can be seen.
        n_bins = min(n_columns, int(width / 1.5))
        for order, method in enumerate(found):
            known = [score for score in method.scores if score is not None]
            low, high = min(0.0, *known), max(0.0, *known)
            y = _STEP * order
            up = Scale(low, high, y + 22 + _HEIGHT, y + 22)
            drawing.word(0, y + 14, method.name, css="strong", most=width * 0.6)
            drawing.word(width, y + 14, f"highest {number(max(known))}", "end", "quiet")
            stems = "".join(
                f"M{place(across((first + end) / 2))} {place(up(0))}V{place(up(best))}"
                for first, end, best in binned(method.scores, n_bins)
            )
            thickness = max(0.9, min(6.0, 0.7 * (width - 2) / n_bins))
            stem = tag("path", d=stems, class_="stem", style=f"stroke-width:{thickness:.1f}")
            drawing.add(tag("g", stem, class_=method.look.css))
            drawing.rule(0, up(0), width, up(0))
        across_ticks(drawing, across, _STEP * len(found) - 4, count, 6, "")
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def binned(scores: Sequence[float | None], n_bins: int) -> list[tuple[int, int, float]]:
    """Neighbouring columns together: the first, the one after the last, and their highest score."""
    found = []
    n_bins = min(n_bins, len(scores))
    for number_of_bin in range(n_bins):
        first, end = number_of_bin * len(scores) // n_bins, (number_of_bin + 1) * len(scores) // n_bins
        known = [score for score in scores[first:end] if score is not None]
        if known:
            found.append((first, end, max(known)))
    return found

"""The score of every column in the order of the table: a small picture a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.formatting import count, number
from fewest.report.charts.axis_scales import Scale
from fewest.report.charts.drawing import Drawing, across_ticks, both, place, stretched
from fewest.report.charts.looks import Look
from fewest.report.markup import Markup, name_of, tag

#: The pictures are at most 760 by 64 pixels: finer than this nothing can be seen.
_HEIGHT = 128
_MOST_BINS = 506
#: Fewer columns than these are bars of their own.
_MOST_STEMS = 100


@dataclass(frozen=True)
class ColumnScores:
    """A method and the score it gave each column; None where it gave none."""

    name: str
    look: Look
    scores: Sequence[float | None]


def columns_chart(found: Sequence[ColumnScores], n_columns: int, alternative: str) -> Markup:
    """Each method on its own scale, since scores of methods cannot be compared."""

    def axis(width: int) -> Drawing:
        drawing = Drawing(width, 26)
        across_ticks(drawing, Scale(0, n_columns, 1, width - 1), 2, count, 6)
        return drawing

    rows = [
        tag(
            "div",
            tag(
                "div",
                tag("span", name_of(method.name), class_="name", title=method.name),
                tag("span", f"highest {number(max(score for score in method.scores if score is not None))}"),
                class_="ends",
            ),
            _picture(method, n_columns),
        )
        for method in found
    ]
    return tag("div", *rows, both(axis, ""), class_="plot stacked", role="img", aria_label=alternative)


def _picture(method: ColumnScores, n_columns: int) -> Markup:
    n_bins = min(n_columns, _MOST_BINS)
    known = [score for score in method.scores if score is not None]
    up = Scale(min(0.0, *known), max(0.0, *known), _HEIGHT, 0)
    base = round(up(0))
    across = Scale(0, n_columns, 0, n_bins)
    bars = [
        (across(first), across(end), round(up(best)))
        for first, end, best in binned(method.scores, min(n_bins, len(method.scores)))
    ]
    rule = tag("path", d=f"M0 {base}H{n_bins}", class_="hair")
    if n_bins <= _MOST_STEMS:
        stems = "".join(f"M{place((first + end) / 2)} {base}V{top}" for first, end, top in bars)
        return stretched(n_bins, _HEIGHT, tag("path", d=stems, class_=f"stem {method.look.css}"), rule)
    # As many as there are pixels are one area with a ragged edge.
    edge, reached, height = [f"M0 {base}"], "0", base
    for first, end, top in bars:
        if place(first) != reached:
            edge.append(f"H{reached}V{base}")
            height = base
        if top != height:
            edge.append(f"H{place(first)}V{top}")
        reached, height = place(end), top
    edge.append(f"H{reached}V{base}z")
    return stretched(n_bins, _HEIGHT, tag("path", d="".join(edge), class_=f"skyline {method.look.css}"), rule)


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

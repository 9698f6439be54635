"""Values of lines, shown under the pointer or by the arrow keys, and a legend that switches lines off.

The script reads the values from the table behind the picture, which has a row per position and a column per line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.report.charts.looks import Look
from fewest.report.markup import embedded_json, name_of, tag


@dataclass(frozen=True)
class Values:
    """The positions at which the pointer stops, and the values there.

    positions : from left to right, in the picture for wide screens and in the one for narrow screens
    titles : one per position
    lines : by line number, the values that order the box at each position; None where a line has none
    start : index of the position at which the keyboard begins
    label : what the values are, for screen readers
    """

    positions: Mapping[str, Sequence[float]]
    titles: Sequence[str]
    lines: Mapping[int, Sequence[float | None]]
    start: int
    label: str


def with_values(wide: Markup, narrow: Markup, values: Values) -> Markup:
    """Add the box of values to both pictures, each with a path of class "cursor"."""
    content = {
        "positions": {kind: [round(x, 1) for x in positions] for kind, positions in values.positions.items()},
        "titles": list(values.titles),
        "rows": [
            {"number": number, "by": [None if value is None else round(value, 5) for value in by]}
            for number, by in values.lines.items()
        ],
        "start": values.start,
    }
    return tag(
        "div",
        wide,
        narrow,
        tag("div", class_="box", role="status"),
        tag("script", embedded_json(content), type="application/json"),
        class_="plot",
        tabindex="0",
        role="group",
        aria_label=f"{values.label}: left and right arrow keys move, Escape leaves",
    )


def line_key(number: int, name: str, look: Look) -> Markup:
    """Make a button with the name of a line, which switches it off and on."""
    return tag(
        "button", look.swatch(), name_of(name), type="button", class_="key", aria_pressed="true", data_number=number
    )


def keys(*keys: Markup) -> Markup:
    """Make the legend of a picture."""
    return tag("div", *keys, class_="legend", role="group", aria_label="Lines of the picture")


def rule_swatch(css: str) -> Markup:
    """Draw a short piece of a rule, for legends."""
    line = tag("path", class_=f"level {css}", d="M1 6H21")
    return Markup(f'<svg class="swatch" viewBox="0 0 22 12" aria-hidden="true">{line}</svg>')

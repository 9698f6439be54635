"""Lines whose values are shown under the pointer or by the arrow keys, and a legend that switches them.

The values themselves stand in the table behind the picture, a row a place and a column a line, and are read from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fewest.report.charts.looks import Look
from fewest.report.markup import Markup, embedded_json, name_of, tag


@dataclass(frozen=True)
class Values:
    """Where the pointer stops.

    places : from left to right, in the picture for wide screens and in the one for narrow ones
    titles : one a place
    lines : by the number of a line, its values by which the box is ordered at each place; None where it has none
    start : the place that the keyboard begins at
    label : what the values are, for those who cannot see the picture
    """

    places: Mapping[str, Sequence[float]]
    titles: Sequence[str]
    lines: Mapping[int, Sequence[float | None]]
    start: int
    label: str


def with_values(wide: Markup, narrow: Markup, values: Values) -> Markup:
    """Both pictures, which have a path of the class "cursor", and the box over them."""
    content = {
        "places": {kind: [round(place, 1) for place in places] for kind, places in values.places.items()},
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
    """The name of a line as a button that switches it off and on."""
    return tag(
        "button", look.swatch(), name_of(name), type="button", class_="key", aria_pressed="true", data_number=number
    )


def keys(*keys: Markup) -> Markup:
    """The legend of a picture."""
    return tag("div", *keys, class_="legend", role="group", aria_label="Lines of the picture")


def rule_swatch(css: str) -> Markup:
    """A short piece of a thin rule, to stand beside its name."""
    line = tag("path", class_=f"level {css}", d="M1 6H21")
    return Markup(f'<svg class="swatch" viewBox="0 0 22 12" aria-hidden="true">{line}</svg>')

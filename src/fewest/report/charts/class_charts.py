"""Charts by class: the share of each category, and maps of classes against classes, features or categories."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from fewest.display.formatting import frequency
from fewest.report.charts.drawing import FONT_SIZE, Drawing, RowNames, both, px, shortened, text_width
from fewest.report.charts.heat_maps import N_SHADES, cells
from fewest.report.charts.looks import Look
from fewest.report.markup import joined, name_of, tag
from fewest.summary import FeatureShares

# More classes than this are drawn as the rows of a map: more lines or bars upon each other cannot be read.
MAX_LINES = 6

_ROW, _MAX_SIDE, _MAX_HEAD = 20.0, 64.0, 96.0


def shares_chart(found: Sequence[FeatureShares], looks: Sequence[Look], alternative: str) -> Markup:
    """Draw the share of each category of each feature, one bar per class."""
    small = []
    for feature in found:
        rows = []
        for index, category in enumerate(feature.categories):
            bars = [
                tag("i", class_=look.css, style=f"width:{100 * part.shares[index]:.1f}%",
                    title=f"{part.name}: {frequency(part.shares[index])}")
                for part, look in zip(feature.classes, looks, strict=True)
            ]  # fmt: skip
            rows += [tag("span", name_of(category), class_="of", title=category), tag("span", *bars, class_="grouped")]
        name = tag("div", name_of(feature.feature), class_="name", title=feature.feature)
        small.append(tag("div", name, tag("div", *rows, class_="shares")))
    return tag("div", *small, class_="plot multiples", role="img", aria_label=alternative)


def labelled_map(
    rows: Sequence[str],
    columns: Sequence[str],
    shades: Sequence[Sequence[float]],
    alternative: str,
    texts: Sequence[Sequence[str]] | None = None,
    title: str = "",
) -> Markup:
    """Draw one cell per row and column, the stronger its colour the nearer its shade to one.

    texts : written into the cells where there is room
    title : what the columns are, above their names
    """

    def draw(width: int) -> Drawing:
        names = RowNames.at(rows, width, 0.3)
        labels = names.left
        step = min(_MAX_SIDE, (width - labels - 2) / max(len(columns), 1))
        is_upright = any(text_width(name) > step - 4 for name in columns)
        head = min(max(map(text_width, columns), default=0.0), _MAX_HEAD) + 10 if is_upright else _ROW
        top = head + (_ROW if title else 0)
        height = max(_ROW, min(step, 34.0))
        pitch = height + names.above
        drawing = Drawing(width, top + pitch * len(rows) + 4)
        if title:
            drawing.text(labels, 13, title, css="quiet", most=width - labels)
        _write_head(drawing, columns, labels, step, top, is_upright=is_upright)
        by_shade: list[list[tuple[int, int]]] = [[] for _ in range(N_SHADES + 1)]
        words = Drawing(0, 0)
        has_room = texts is not None and all(text_width(text) <= step - 4 for row in texts for text in row)
        for y, row in enumerate(shades):
            middle_y = top + pitch * y + names.above + height / 2
            names.write(drawing, y, top + pitch * y, middle_y - 1)
            for x, shade in enumerate(row):
                shade = min(max(shade, 0.0), 1.0)
                by_shade[round(shade * N_SHADES)].append((x, y))
                if has_room and texts is not None:
                    middle = labels + step * x + step / 2 - 1
                    css = "on-dark" if shade >= 0.75 else ""
                    words.text(middle, middle_y + 3.5, texts[y][x], "middle", css)
        for number, found in enumerate(by_shade):
            if found:
                space = 2.0 if step > 14 else 0.6
                drawing.add(
                    cells(found, f"shade s{number}", labels, step, pitch, space, space + names.above, top + names.above)
                )
        drawing.add(words.inside())
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def _write_head(
    drawing: Drawing, columns: Sequence[str], left: float, step: float, top: float, *, is_upright: bool
) -> None:
    """Write the names of the columns, upright where they are too wide to lie, and not all where they would touch."""
    every = math.ceil((FONT_SIZE + 1) / step) if is_upright else 1
    for index, name in enumerate(columns):
        x = left + step * index + step / 2 - 1
        if not is_upright:
            drawing.text(x, top - 6, name, "middle")
        elif index % every == 0:
            short = shortened(name, _MAX_HEAD)
            full = tag("title", name) if short != name else None
            turned = f"translate({px(x + 4.5)} {px(top - 6)})rotate(-90)"
            drawing.add(tag("text", short, full, transform=turned))


def class_means_shades(means: Sequence[Sequence[float | None]]) -> list[list[float]]:
    """Scale the means of each feature, a column, from the lowest class, 0, to the highest, 1."""
    scaled: list[list[float]] = [[] for _ in means]
    for column in zip(*means, strict=True):
        known = [mean for mean in column if mean is not None]
        low, width = min(known, default=0.0), (max(known, default=0.0) - min(known, default=0.0)) or 1.0
        for row, mean in zip(scaled, column, strict=True):
            row.append(0.0 if mean is None else (mean - low) / width)
    return scaled


def legend_of(names: Sequence[str], looks: Sequence[Look], *, has_lines: bool) -> Markup:
    """Name the classes beside their lines or marks."""
    keys = [
        tag("span", look.swatch() if has_lines else look.dot(), name_of(name), class_="key")
        for name, look in zip(names, looks, strict=True)
    ]
    return tag("div", joined(keys), class_="legend")

"""What do they look like? Densities, the best pair, redundancy, and the scores of all columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fewest.formatting import count, number
from fewest.report.charts.columns import ColumnScores, binned, columns_chart
from fewest.report.charts.densities import Density, densities_chart, has_one_scale
from fewest.report.charts.heat_maps import likeness_map
from fewest.report.charts.looks import class_looks
from fewest.report.charts.scatter_plots import scatter_chart
from fewest.report.context import Context, Summary
from fewest.report.markup import Markup, finite, joined, name_of, said, tag
from fewest.report.tables import Cell, Column, Row, behind

_MOST_DENSITIES = 12
_MOST_POINTS = 1500
_MOST_LISTED = 100
_MOST_ALIKE = 30
_MOST_BEST = 20


def appearance(context: Context) -> Markup:
    views = context.table.get("views") or {}
    return context.section(
        "looks",
        "What do they look like?",
        _densities(context, views.get("densities") or ()),
        _pair(context, views.get("pair") or {}),
        _redundancy(context, views.get("redundancy") or {}),
        _columns(context),
    )


def n_classes(table: Summary) -> int:
    """How many classes of a table are drawn: those named, and those that only points have."""
    views = table.get("views") or {}
    codes = [finite(point[2]) or 0.0 for point in (views.get("pair") or {}).get("points") or ()]
    return max(len(table.get("classes") or ()), int(max(codes, default=-1.0)) + 1)


def _class_names(context: Context) -> list[str]:
    return [said(entry, "name") for entry in context.table.get("classes") or ()]


def _class_legend(names: Sequence[str], *, has_lines: bool) -> Markup:
    looks = class_looks(len(names))
    keys = [
        tag("span", look.swatch() if has_lines else look.dot(), name_of(name), class_="key")
        for name, look in zip(names, looks, strict=True)
    ]
    return tag("div", *keys, class_="legend")


def _densities(context: Context, found: Sequence[Any]) -> Markup:
    names = _class_names(context)
    for entry in found:
        for part in entry.get("classes") or ():
            if said(part, "name") not in names:
                names.append(said(part, "name"))
    known = []
    for entry in found[:_MOST_DENSITIES]:
        grid = [finite(value) for value in entry.get("grid") or ()]
        curves = {said(part, "name"): part.get("density") or () for part in entry.get("classes") or ()}
        values = [[finite(value) or 0.0 for value in curves.get(name, ())] or None for name in names]
        places = [place for place in grid if place is not None]
        if len(places) > 1 and len(places) == len(grid) and any(values):
            known.append(Density(said(entry, "feature"), places, values))
    if not known:
        return Markup()
    looks = class_looks(len(names))
    rows: list[Row] = [
        [name_of(density.feature), *(_peak(density.grid, curve) for curve in density.classes)] for density in known
    ]
    columns = [Column("Feature", False), *(Column(name) for name in names)]
    scale = "all on one scale" if has_one_scale(known) else "each from its least to its largest value"
    return context.figure(
        "How do the classes lie in the top features?",
        joined(
            [
                _class_legend(names, has_lines=True),
                densities_chart(
                    known,
                    looks,
                    f"Densities of {len(names)} classes in {len(known)} features; the table names the peaks.",
                ),
            ]
        ),
        behind("The most frequent value of each class, and the density there", columns, rows),
        note=f"Density by class, {scale}; the area under every line is the same.",
    )


def _peak(grid: Sequence[float], curve: Sequence[float] | None) -> str:
    if not curve:
        return "–"
    peak = max(range(min(len(curve), len(grid))), key=curve.__getitem__)
    return f"{number(grid[peak])} ({number(curve[peak])})"


def _pair(context: Context, pair: Any) -> Markup:
    names = _class_names(context)
    points: list[tuple[float, float, int]] = []
    for point in pair.get("points") or ():
        x, y, code = finite(point[0]), finite(point[1]), finite(point[2])
        if x is not None and y is not None and code is not None:
            points.append((x, y, int(code)))
    if not points:
        return Markup()
    highest = max(code for _, _, code in points)
    names += [f"class {code}" for code in range(len(names), highest + 1)]
    every = -(-len(points) // _MOST_POINTS)
    shown = points[::every]
    x_name, y_name = said(pair, "x"), said(pair, "y")
    listed = shown[:: -(-len(shown) // _MOST_LISTED)]
    rows: list[Row] = [[name_of(names[code]), number(x), number(y)] for x, y, code in listed]
    note = f"One row in {every} is drawn. " if every > 1 else ""
    if len(listed) < len(points):
        note += f"The table has {count(len(listed))} of {count(len(points))} rows."
    return context.figure(
        "How do the two best lie together?",
        joined(
            [
                _class_legend(names, has_lines=False),
                scatter_chart(
                    x_name,
                    y_name,
                    shown,
                    class_looks(len(names)),
                    f"{y_name} against {x_name}, one mark a row by class.",
                ),
            ]
        ),
        behind("Values of the pair", [Column("Class", False), Column(x_name), Column(y_name)], rows),
        note=note,
    )


def _redundancy(context: Context, found: Any) -> Markup:
    features = [str(name) for name in found.get("features") or ()][:_MOST_ALIKE]
    matrix = [[abs(finite(value) or 0.0) for value in row] for row in found.get("matrix") or ()][: len(features)]
    n = len(features)
    if n < 2 or len(matrix) < n or any(len(row) < n for row in matrix):
        return Markup()
    pairs = sorted(((matrix[i][j], i, j) for i in range(n) for j in range(i)), reverse=True)
    value, i, j = pairs[0]
    rows: list[Row] = [
        [name_of(features[i]), name_of(features[j]), Cell(f"{value:.2f}", value)]
        for value, i, j in pairs[:_MOST_LISTED]
    ]
    measure = str(found.get("measure") or "likeness")
    return context.figure(
        "Do the chosen features say the same?",
        likeness_map(
            features,
            matrix,
            f"{measure} of {n} chosen features; the largest is {value:.2f}, {features[i]} and {features[j]}.",
        ),
        behind(
            f"{measure}, the largest first", [Column("Feature", False), Column("And", False), Column(measure)], rows
        ),
        note=f"{measure} of every two: the stronger the colour, the more one repeats the other.",
    )


def _columns(context: Context) -> Markup:
    found = []
    for entry in context.methods:
        scores = [finite(score) for score in entry.get("column_scores") or ()]
        if any(score is not None for score in scores):
            name = said(entry, "name")
            found.append(ColumnScores(name, context.looks[name], scores))
    if not found:
        return Markup()
    n_columns = max(len(method.scores) for method in found)
    best = [
        sorted(binned(method.scores, len(method.scores)), key=lambda entry: -entry[2])[:_MOST_BEST] for method in found
    ]
    rows: list[Row] = [
        [
            str(place + 1),
            *(f"{count(own[place][0] + 1)} ({number(own[place][2])})" if place < len(own) else "–" for own in best),
        ]
        for place in range(max(map(len, best)))
    ]
    columns = [Column("Place"), *(Column(method.name) for method in found)]
    return context.figure(
        "Where in the table do the scores lie?",
        columns_chart(
            found,
            n_columns,
            f"Scores of {count(n_columns)} columns by {len(found)} methods, in the order of the table.",
        ),
        behind(f"The columns with the {len(rows)} highest scores of each method, and these scores", columns, rows),
        note="Columns in the order of the table, each method on a scale of its own; of columns that share a pixel the "
        "highest is drawn.",
    )

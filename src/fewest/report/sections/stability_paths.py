"""Stability selection: how often halves of the rows select each feature, and the bound on false selections."""

from __future__ import annotations

from fewest.display.formatting import count, counted, frequency, number
from fewest.report.charts.stability_paths import PathLine, paths_chart
from fewest.report.elements import Cell, Column, Context, Figure, Table, name_cell
from fewest.summary import MethodSummary, StabilityPaths

# Sizes of the table behind the picture.
_MAX_COLUMNS = 8


def stability_paths(context: Context) -> list[Figure]:
    """Show the paths of every method of stability selection."""
    completed = context.table.completed
    return [_figure(context, method, method.paths) for method in completed if method.paths and method.paths.features]


def _figure(context: Context, method: MethodSummary, paths: StabilityPaths) -> Figure:
    lines = [
        PathLine(name, [(size, share) for size, share in zip(paths.sizes, own, strict=True) if share is not None])
        for name, own in zip(paths.features, paths.frequencies, strict=True)
    ]
    n_stable = sum(line.last >= paths.threshold for line in lines)
    reached = f"{counted(n_stable, 'feature')} {'reaches' if n_stable == 1 else 'reach'}"
    alternative = (
        f"Share of the halves of the rows on which {method.name} selects each feature, against the number of features "
        f"that each half selects. {reached} the threshold of {frequency(paths.threshold)}; the most frequent is "
        f"{lines[0].name} with {frequency(lines[0].last)}."
    )
    named = f" ({method.name})" if len(context.table.completed) > 1 else ""
    return Figure(
        f"Do halves of the rows select the same features{named}?",
        paths_chart(lines, paths.threshold, context.looks[method.name], alternative),
        _table(paths, lines),
        note=f"A line a feature. Dashed: the threshold, {frequency(paths.threshold)} of the halves.",
        text=_text(paths, reached),
    )


def _text(paths: StabilityPaths, reached: str) -> str:
    text = (
        f"{reached} the threshold with {counted(paths.sizes[-1], 'feature')} a half. Expected among them are at most "
        f"{number(paths.expected_false, 2)} false ones: features that half of the rows select no more often than by "
        "guessing."
    )
    if paths.n_others:
        text += f" {counted(paths.n_others, 'less frequent feature')} not shown."
    return text


def _table(paths: StabilityPaths, lines: list[PathLine]) -> Table:
    step = -(-len(paths.sizes) // _MAX_COLUMNS)
    sizes = list(reversed(paths.sizes[::-1][::step]))
    columns = [Column("Feature", False), *(Column(f"{count(size)} a half") for size in sizes)]
    rows = []
    for line in lines:
        share_at = dict(line.points)
        shown = (Cell(frequency(share_at[size])) if size in share_at else Cell() for size in sizes)
        rows.append([name_cell(line.name), *shown])
    return Table("Share of the halves that select a feature", columns, rows)

"""Which features, and what do they look like? The answer in a sentence, the list, and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.formatting import count, number, percent
from fewest.report.charts.feature_charts import (
    ColumnScores,
    binned,
    columns_chart,
    densities_chart,
    has_one_scale,
    scatter_chart,
)
from fewest.report.charts.heat_maps import likeness_map
from fewest.report.charts.looks import class_looks
from fewest.report.elements import Cell, Column, Context, Figure, Table, name_cell
from fewest.report.markup import joined, name_of, tag
from fewest.summary import ClassDensity, FeatureDensity, RecommendedFeature, RecommendedSubset, TableSummary

# The copied list has all features, the table no more than this.
_MAX_ROWS = 300
# Rows of the tables behind the pictures: of points and pairs, and of scores.
_MAX_LISTED, _MAX_BEST = 100, 20


@dataclass(frozen=True)
class FeaturesSection:
    """The recommended features.

    method : how they were chosen, in words
    cut : what the table leaves out, in words
    """

    recommended: RecommendedSubset
    method: str
    table: Table
    cut: str


def which_features(context: Context) -> FeaturesSection | None:
    """Show the recommended features; None where no method was evaluated."""
    best = context.table.recommended
    if best is None:
        return None
    method = f"Chosen by {best.method}, evaluated by {context.classifiers[best.classifier]}."
    shown = best.features[:_MAX_ROWS]
    cut = ""
    if len(shown) < len(best.features):
        cut = f"The first {count(len(shown))} are shown; the copied list has all {count(len(best.features))}."
    return FeaturesSection(best, f"{method} {best.choice or ''}".rstrip(), _table(shown), cut)


def _table(features: Sequence[RecommendedFeature]) -> Table:
    known = [feature.score for feature in features if feature.score is not None]
    # Bars begin at zero, or at the least score if some are negative.
    low = min([0.0, *known])
    width = max([score - low for score in known], default=0.0) or 1.0
    columns = [
        Column("Feature", False),
        Column("Order", note="the first was chosen first"),
        Column("Score", False, "descending", "higher is better"),
        Column("Chosen in", False, "descending", "share of the resamples in which it was chosen"),
        Column("Substitute", False, note="the feature that is chosen if this one is withheld"),
    ]
    rows = [
        [
            name_cell(one.name),
            Cell(str(order), order),
            Cell() if one.score is None else Cell(number(one.score), one.score, bar=(one.score - low) / width),
            Cell() if one.frequency is None else Cell(percent(one.frequency), one.frequency, bar=one.frequency),
            name_cell(one.substitute) if one.substitute else Cell(),
        ]
        for order, one in enumerate(features, start=1)
    ]
    caption = "The chosen features"
    return Table(caption, columns, rows, is_sortable=True, sorted_by=1, shows_caption=False).without_empty_columns()


def appearance(context: Context) -> list[Figure]:
    """Return the pictures of the recommended features that can be drawn."""
    figures = [_densities(context.table), _pair(context.table), _redundancy(context.table), _columns(context)]
    return [figure for figure in figures if figure is not None]


def _legend(table: TableSummary, *, has_lines: bool) -> Markup:
    looks = class_looks(len(table.classes))
    keys = [
        tag("span", look.swatch() if has_lines else look.dot(), name_of(one.name), class_="key")
        for one, look in zip(table.classes, looks, strict=True)
    ]
    return tag("div", *keys, class_="legend")


def _densities(table: TableSummary) -> Figure | None:
    found = table.views.densities
    if not found:
        return None
    n_classes = len(table.classes)
    alternative = f"Densities of {n_classes} classes in {len(found)} features; the table names the peaks."
    chart = densities_chart(found, class_looks(n_classes), alternative)
    rows = [[name_cell(one.feature), *(_peak(one, part) for part in one.classes)] for one in found]
    columns = [Column("Feature", False), *(Column(one.name) for one in table.classes)]
    scale = "all on one scale" if has_one_scale(found) else "each from its least to its largest value"
    if any(one.is_cut for one in found):
        scale += ", of long tails without the outermost 1 % of the rows"
    return Figure(
        "How do the classes lie in the top features?",
        joined([_legend(table, has_lines=True), chart]),
        Table("The most frequent value of each class, and the density there", columns, rows),
        note=f"Density by class, {scale}; the area under every line is the same.",
    )


def _peak(feature: FeatureDensity, part: ClassDensity) -> Cell:
    peak = max(range(len(part.density)), key=part.density.__getitem__)
    return Cell(f"{number(feature.grid[peak])} ({number(part.density[peak])})")


def _pair(table: TableSummary) -> Figure | None:
    pair = table.views.pair
    if pair is None:
        return None
    listed = pair.points[:: -(-len(pair.points) // _MAX_LISTED)]
    rows = [[name_cell(table.classes[code].name), Cell(number(x)), Cell(number(y))] for x, y, code in listed]
    alternative = f"{pair.y} against {pair.x}, one mark a row by class."
    chart = scatter_chart(pair, class_looks(len(table.classes)), alternative)
    is_cut = len(listed) < len(pair.points)
    return Figure(
        "Which two of them separate the classes best?",
        joined([_legend(table, has_lines=False), chart]),
        Table("Values of the pair", [Column("Class", False), Column(pair.x), Column(pair.y)], rows),
        note=f"Of every two of {count(pair.n_features)} chosen features of numbers, those with the least error of the "
        f"nearest neighbour: {percent(pair.error)}."
        + (f" The table has {count(len(listed))} of {count(len(pair.points))} rows." if is_cut else ""),
    )


def _redundancy(table: TableSummary) -> Figure | None:
    found = table.views.redundancy
    if found is None:
        return None
    names, n = found.features, len(found.features)
    pairs = sorted(((found.matrix[i][j], i, j) for i in range(n) for j in range(i)), reverse=True)
    value, i, j = pairs[0]
    rows = [[name_cell(names[i]), name_cell(names[j]), Cell(f"{value:.2f}", value)] for value, i, j in pairs]
    alternative = f"{found.measure} of {n} chosen features; the largest is {value:.2f}, {names[i]} and {names[j]}."
    columns = [Column("Feature", False), Column("And", False), Column(found.measure)]
    return Figure(
        "Do the chosen features say the same?",
        likeness_map(names, found.matrix, alternative),
        Table(f"{found.measure}, the largest first", columns, rows[:_MAX_LISTED]),
        note=f"{found.measure} of every two: the stronger the colour, the more one repeats the other.",
    )


def _columns(context: Context) -> Figure | None:
    found = [
        ColumnScores(method.name, context.looks[method.name], method.column_scores)
        for method in context.table.completed
        if method.column_scores and any(score is not None for score in method.column_scores)
    ]
    if not found:
        return None
    n_columns = context.table.n_columns
    best = [
        sorted(binned(method.scores, len(method.scores)), key=lambda entry: -entry[2])[:_MAX_BEST] for method in found
    ]
    rows = [
        [
            Cell(str(i + 1)),
            *(Cell(f"{count(own[i][0] + 1)} ({number(own[i][2])})") if i < len(own) else Cell() for own in best),
        ]
        for i in range(max(map(len, best)))
    ]
    columns = [Column("Order"), *(Column(method.name) for method in found)]
    alternative = f"Scores of {count(n_columns)} columns by {len(found)} methods, in the order of the table."
    return Figure(
        "Where in the table do the scores lie?",
        columns_chart(found, n_columns, alternative),
        Table(f"The columns with the {len(rows)} highest scores of each method, and these scores", columns, rows),
        note="Columns in the order of the table, each method on a scale of its own; of columns that share a pixel the "
        "highest is drawn.",
    )

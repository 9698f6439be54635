"""What do they look like? Pictures of the recommended features."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fewest.display.formatting import count, frequency, number, numbers, percent, two_decimals
from fewest.report.charts.class_charts import (
    MAX_LINES,
    class_means_shades,
    labelled_map,
    legend_of,
    shares_chart,
)
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
from fewest.report.markup import joined
from fewest.summary import FeatureDensity, FeatureShares, TableSummary

# Rows of the tables behind the pictures: of points and pairs, and of scores.
_MAX_LISTED, _MAX_BEST = 100, 20
# The place in the table says something where columns are many, such as genes or frequencies.
_LEAST_COLUMNS = 30
# Of features of categories in many classes, each of which takes a map.
_MAX_SHARE_MAPS = 4
# From which error of the nearest neighbour on two features are no picture of many classes; from which two are alike.
_MAX_PAIR_ERROR, _ALIKE = 0.5, 0.3
# In a map of classes against features.
_MAX_CLASSES = 40


def appearance(context: Context) -> list[Figure]:
    """Return the pictures of the recommended features that can be drawn."""
    table = context.table
    has_many = len(table.classes) > MAX_LINES
    drawn: list[Callable[[TableSummary], Figure | None]] = [
        _class_means if has_many else _densities,
        *([] if has_many else [_shares]),
        _pair,
        _redundancy,
    ]
    figures = [draw(table) for draw in drawn]
    if has_many:
        figures[1:1] = [_shares_map(table, one) for one in table.views.shares[:_MAX_SHARE_MAPS]]
    return [figure for figure in (*figures, _columns(context)) if figure is not None]


def _densities(table: TableSummary) -> Figure | None:
    found = table.views.densities
    if not found:
        return None
    looks, names = class_looks(len(table.classes)), [one.name for one in table.classes]
    alternative = f"Densities of {len(names)} classes in {len(found)} features; the table has the means."
    axis = (
        "all on one scale, from the least to the largest value"
        if has_one_scale(found)
        else "each on its own scale, from its least to its largest value"
    )
    if any(one.is_logarithmic for one in found):
        axis += ", that of skewed features (“log”) logarithmic"
    if any(one.is_cut for one in found):
        axis += " (a ‹ or › marks an end beyond which few outlying rows lie, at most 1 %)"
    return Figure(
        "How do the classes lie in the top features?",
        joined([legend_of(names, looks, has_lines=True), densities_chart(found, looks, alternative)]),
        _means_table(table, found),
        note=f"Density by class, {axis}. In a picture the area under every line is the same.",
    )


def _means_table(table: TableSummary, found: Sequence[FeatureDensity]) -> Table:
    rows = [[name_cell(one.feature), *(Cell(number(part.mean)) for part in one.classes)] for one in found]
    columns = [Column("Feature", False), *(Column(one.name) for one in table.classes)]
    if any(one.missing for one in found):
        columns.append(Column("Missing"))
        rows = [[*row, Cell(frequency(one.missing))] for row, one in zip(rows, found, strict=True)]
    return Table("The mean of each class", columns, rows)


def _class_means(table: TableSummary) -> Figure | None:
    """Means of many classes, whose densities could not be read upon each other."""
    found = table.views.densities
    if not found:
        return None
    names = [one.name for one in table.classes][:_MAX_CLASSES]
    means = [[one.classes[code].mean for one in found] for code in range(len(names))]
    alternative = f"Means of {len(names)} classes in {len(found)} features; the table has the numbers."
    cut = (
        f" The first {count(len(names))} of {count(len(table.classes))} classes."
        if len(means) < len(table.classes)
        else ""
    )
    columns = [one.feature for one in found]
    texts = [list(row) for row in zip(*(numbers(column) for column in zip(*means, strict=True)), strict=True)]
    return Figure(
        "How do the classes lie in the top features?",
        labelled_map(names, columns, class_means_shades(means), alternative, texts),
        _means_table(table, found),
        note=f"The mean of each class (row) in each feature (column): faint is the lowest, strong the highest.{cut}",
    )


def _shares(table: TableSummary) -> Figure | None:
    found = table.views.shares
    if not found:
        return None
    looks, names = class_looks(len(table.classes)), [one.name for one in table.classes]
    alternative = (
        f"Shares of the categories of {len(found)} features in {len(names)} classes; the table has the numbers."
    )
    rows = [
        [name_cell(one.feature), name_cell(category), *(Cell(frequency(part.shares[i])) for part in one.classes)]
        for one in found
        for i, category in enumerate(one.categories)
    ]
    columns = [Column("Feature", False), Column("Category", False), *(Column(name) for name in names)]
    return Figure(
        "Which categories go with which class?",
        joined([legend_of(names, looks, has_lines=False), shares_chart(found, looks, alternative)]),
        Table("The share of each category in each class", columns, rows),
        note="The share of each category, or of each of few values, within a class; the whole width is 100 %.",
    )


def _shares_map(table: TableSummary, found: FeatureShares) -> Figure:
    names = [one.name for one in table.classes][:_MAX_CLASSES]
    shares = [found.classes[code].shares for code in range(len(names))]
    texts = [[frequency(share) for share in row] for row in shares]
    columns = [Column("Class", False), *(Column(category) for category in found.categories)]
    rows = [[name_cell(name), *map(Cell, row)] for name, row in zip(names, texts, strict=True)]
    alternative = f"Shares of the categories of {found.feature} in {len(names)} classes; the table has the numbers."
    return Figure(
        f"Which categories of {found.feature} go with which class?",
        labelled_map(names, list(found.categories), shares, alternative, texts),
        Table(f"The share of each category of {found.feature} in each class", columns, rows),
        note="The share of each category, a column, within each class, a row.",
    )


def _pair(table: TableSummary) -> Figure | None:
    pair = table.views.pair
    # Two features cannot separate many classes: where they do not, their cloud shows nothing.
    if pair is None or (len(table.classes) > MAX_LINES and pair.error > _MAX_PAIR_ERROR):
        return None
    listed = pair.points[:: -(-len(pair.points) // _MAX_LISTED)]
    rows = [[name_cell(table.classes[code].name), Cell(number(x)), Cell(number(y))] for x, y, code in listed]
    names = [one.name for one in table.classes]
    looks = class_looks(len(names))
    alternative = f"{pair.y} against {pair.x}, one mark a row by class."
    has_legend = len(names) <= MAX_LINES
    chart = scatter_chart(pair, looks, alternative, () if has_legend else names)
    note = f"The nearest neighbour in these two errs in {percent(pair.error)} of the rows drawn"
    if pair.n_features > 2:
        note += f", the least of every two of {count(pair.n_features)} recommended features with numbers"
    note += "."
    if not has_legend:
        note += " Each class is named at its middle."
    if len(pair.points) < table.n_rows:
        note += f" {count(len(pair.points))} of {count(table.n_rows)} rows are drawn, equally many of large classes."
    return Figure(
        "Which two of them separate the classes best?",
        joined([legend_of(names, looks, has_lines=False), chart]) if has_legend else chart,
        Table(
            f"{count(len(listed))} of the {count(len(pair.points))} rows drawn",
            [Column("Class", False), Column(pair.x), Column(pair.y)],
            rows,
        ),
        note=note,
    )


def _redundancy(table: TableSummary) -> Figure | None:
    found = table.views.redundancy
    if found is None:
        return None
    names, n = found.features, len(found.features)
    pairs = sorted(((found.matrix[i][j], i, j) for i in range(n) for j in range(i)), reverse=True)
    value, i, j = pairs[0]
    largest = f"{two_decimals(value)} of {names[j]} and {names[i]}"
    rows = [[name_cell(names[j]), name_cell(names[i]), Cell(two_decimals(value), value)] for value, i, j in pairs]
    measure = found.measure[0].upper() + found.measure[1:]
    columns = [Column("Feature", False), Column("And", False), Column(found.measure)]
    how = (
        ""
        if found.measure == "|correlation|"
        else (" Of numbers it is |correlation|, of categories Cramér's V, of one of each the correlation ratio.")
    )
    best = table.recommended
    cut = f" of the first {count(len(names))}" if best is not None and len(names) < best.size else ""
    return Figure(
        "Do the chosen features say the same?",
        likeness_map(names, found.matrix, f"{found.measure} of {n} chosen features; the largest is {largest}."),
        Table(f"{found.measure}, the largest first", columns, rows[:_MAX_LISTED]),
        note=f"{measure} of every two{cut}, 0 to 1: the stronger the colour, the more one repeats the other.{how}",
        text=f"The most alike: {largest}." if value >= _ALIKE else f"No two are alike: the largest is {largest}.",
    )


def _columns(context: Context) -> Figure | None:
    found = [
        ColumnScores(method.name, context.looks[method.name], method.column_scores)
        for method in context.table.completed
        if method.column_scores and any(score is not None for score in method.column_scores)
    ]
    n_columns = context.table.n_columns
    if not found or n_columns < _LEAST_COLUMNS:
        return None
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
    methods = f"{len(found)} methods" if len(found) > 1 else found[0].name
    scale = ", each method on a scale of its own" if len(found) > 1 else ""
    pixel = "; of columns that share a pixel the highest is drawn" if n_columns > _MAX_LISTED else ""
    of_each = " of each method" if len(found) > 1 else ""
    caption = f"The columns with the {len(rows)} highest scores{of_each}, and these scores"
    return Figure(
        "Where in the table do the scores lie?",
        columns_chart(
            found, n_columns, f"Scores of {count(n_columns)} columns by {methods}, in the order of the table."
        ),
        Table(caption, columns, rows),
        note=f"Columns in the order of the table{scale}{pixel}.",
    )

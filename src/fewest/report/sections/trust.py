"""Can I trust it? What a leak would have promised, how stable the choice is, and what is proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.display.formatting import MetricFormat, count, counted, frequency, number, percent, two_decimals
from fewest.report.charts.axis_scales import range_of
from fewest.report.charts.curves import SHARES, TruthCurve, truth_chart
from fewest.report.charts.heat_maps import chosen_map
from fewest.report.charts.method_charts import MethodRow, rows_chart
from fewest.report.elements import Cell, Column, Context, Figure, Row, Table, name_cell
from fewest.report.sections.confusion import confusion
from fewest.report.sections.stability_paths import stability_paths
from fewest.summary import MethodSummary, RecommendedSubset

_MAX_FEATURES = 20
_MAX_RESAMPLES = 100
_MAX_ROWS = 200
# Values that differ by less are equal.
_TIE = 1e-12
# An axis of scores spans at least this.
_LEAST_SCORES = 0.01


@dataclass(frozen=True)
class TrustSection:
    """The evidence for and against the recommendation.

    leaks : the leaked and the nested error of each method
    paths : by method of stability selection, how often halves of the rows select each feature
    frequencies : how often each method chose each feature; `cut` says how many features the table leaves out
    proved : the recommendation, where something is proved of it
    certificates : the methods of whose selection on all rows something is proved
    """

    confusion: Figure | None
    leaks: Figure | None
    truth: Figure | None
    stability: Figure | None
    paths: list[Figure]
    frequencies: Table | None
    cut: str
    choices: Figure | None
    proved: RecommendedSubset | None
    certificates: list[MethodSummary]


def trust(context: Context) -> TrustSection | None:
    """Show the evidence; None where no method was evaluated."""
    table = context.table
    if not table.completed:
        return None
    best = table.recommended
    frequencies, cut = _frequencies(context)
    return TrustSection(
        confusion(context),
        _leak(context),
        _truth(context),
        _stability(context),
        stability_paths(context),
        frequencies,
        cut,
        _choices(context),
        best if best and best.certificate else None,
        [method for method in table.completed if method.certificate],
    )


def _leak(context: Context) -> Figure | None:
    points_of: list[MethodRow] = []
    rows: list[tuple[float, Row]] = []
    form = context.form
    known = [(method, result) for method in context.table.completed if (result := context.figures(method))]
    for method, result in sorted(known, key=lambda entry: entry[1].error):
        if result.leaked_error is None:
            continue
        text = f"{method.name}: promised {form.text(result.leaked_error)}, nested {form.text(result.error)}"
        errors = (result.leaked_error, result.error)
        other, at = (form.value(error) for error in errors)
        points_of.append(MethodRow(method.name, context.looks[method.name], at, other=other, text=text))
        # Selecting before splitting is not pessimistic: what seems so is noise.
        optimism = result.error - result.leaked_error
        is_noise = optimism <= _TIE
        written = "within noise" if is_noise else form.difference(optimism if form.lower_is_better else -optimism)
        row = [name_cell(method.name), *(Cell(form.text(error)) for error in errors), Cell(written, optimism)]
        rows.append((optimism, row))
    if not rows:
        return None
    values = [value for row in points_of for value in (row.at, row.other) if value is not None]
    low, high = _leak_axis(values, form)
    worst = max(range(len(rows)), key=lambda i: rows[i][0])
    alternative = (
        f"{context.metric} promised by selecting before splitting, and nested. The largest difference: "
        f"{points_of[worst].text}."
    )
    unit = " in points" if form.is_percentage else ""
    columns = [Column("Method", False), Column("Promised"), Column("Nested"), Column(f"Optimism{unit}")]
    picture = rows_chart(points_of, low, high, form.label, alternative, is_percentage=form.is_percentage)
    return Figure(
        "What would selecting before splitting have promised?",
        picture,
        Table(f"Promised and nested {form.label}", columns, [row for _, row in rows]),
        note="Hollow: features chosen once on all rows, test rows included. Filled: chosen in each split without them.",
        text=context.table.leak.sentence if context.table.leak else "",
    )


def _leak_axis(values: Sequence[float], form: MetricFormat) -> tuple[float, float]:
    """The ends of the axis of promised and nested values."""
    low, high = min(values), max(values)
    if form.is_percentage:
        # From zero, so that the optimism is seen in proportion.
        return 0.0, 1.05 * high or 1.0
    if form.lower_is_better:
        return range_of(low, 1.05 * high)
    low = min(low, high - _LEAST_SCORES)
    more = 0.05 * (high - low)
    return low - more, min(high + more, 1.0) if form.of_one else high + more


def _stability(context: Context) -> Figure | None:
    rows = []
    for method in context.table.completed:
        found = method.stability
        if found is None:
            continue
        text = f"{method.name}: {two_decimals(found.index)}{_range(found.low, found.high, ' ({})')}"
        rows.append(MethodRow(method.name, context.looks[method.name], found.index, found.low, found.high, text=text))
    if not rows:
        return None
    rows.sort(key=lambda row: -row.at)
    lowest = min([0.0, *(row.at if row.low is None else row.low for row in rows)])
    numbers = [
        [name_cell(row.name), Cell(two_decimals(row.at), row.at), Cell(_range(row.low, row.high, "{}") or "–")]
        for row in rows
    ]
    alternative = f"Stability with its 95 % interval; the most stable is {rows[0].name} with {rows[0].at:.2f}."
    return Figure(
        "Would other rows have chosen the same features?",
        rows_chart(rows, max(lowest, -1.0), 1.0, "stability", alternative, is_percentage=False),
        Table("Stability", [Column("Method", False), Column("Stability"), Column("95 % interval")], numbers),
        note="1: the same features in every split. 0: no more alike than by chance. "
        + ("The size is the one" if len(rows) == 1 else "Each method has the size")
        + " that is chosen on all rows.",
    )


def _range(low: float | None, high: float | None, form: str) -> str:
    return "" if low is None or high is None else form.format(f"{two_decimals(low)} to {two_decimals(high)}")


def _choices(context: Context) -> Figure | None:
    found, best = context.table.split_choices, context.table.recommended
    if found is None or best is None or not found.features:
        return None
    features = found.features[:_MAX_FEATURES]
    cells = [row[:_MAX_RESAMPLES] for row in found.cells[:_MAX_FEATURES]]
    shares = [sum(row) / len(row) for row in cells]
    rows = [
        [name_cell(name), Cell(frequency(share), share), Cell(f"{sum(row)} of {len(row)}")]
        for name, share, row in zip(features, shares, cells, strict=True)
    ]
    always = sum(share == 1 for share in shares)
    alternative = f"{len(features)} features by {len(cells[0])} splits; {always} of them were chosen in every one."
    columns = [Column("Feature", False), Column("Share"), Column("Splits")]
    return Figure(
        "Which features were chosen in each split?",
        chosen_map(features, cells, shares, alternative),
        Table("How often each feature was chosen", columns, rows),
        note=f"The {count(len(features))} chosen most often." if len(features) < len(found.features) else "",
    )


def _frequencies(context: Context) -> tuple[Table | None, str]:
    """How often each method chose each feature, the most often chosen first, and what is left out in words."""
    methods = [method for method in context.table.completed if method.frequencies]
    if not methods:
        return None, ""
    own = [{entry.feature: entry.frequency for entry in method.frequencies} for method in methods]
    known = {feature: [shares.get(feature, 0.0) for shares in own] for some in own for feature in some}
    ordered = sorted(known, key=lambda feature: -sum(known[feature]))[:_MAX_ROWS]
    rows = [[name_cell(feature), *(Cell(frequency(share), share) for share in known[feature])] for feature in ordered]
    columns = [Column("Feature", False), *(Column(method.name, first="descending") for method in methods)]
    who = "each method chose a feature" if len(methods) > 1 else "a feature was chosen"
    caption = f"Share of the splits in which {who}"
    cut = f"The {count(len(rows))} most often chosen of {count(len(known))}." if len(rows) < len(known) else ""
    return Table(caption, columns, rows, is_sortable=True), cut


def _truth(context: Context) -> Figure | None:
    """Where relevant columns are known: how well each method ranks them first."""
    completed = context.table.completed
    known = [(method, method.truth) for method in completed if method.truth is not None]
    if not known:
        return None
    curves = [
        TruthCurve(completed.index(method), method.name, context.looks[method.name], truth.curve)
        for method, truth in known
    ]
    known.sort(key=lambda entry: -entry[1].auc)
    most = known[0][1]
    equals = [method.name for method, truth in known if number(truth.auc) == number(most.auc)]
    best = " and ".join(equals) if len(equals) < 4 else f"{len(equals)} methods"
    top = f"the first {counted(most.n_true, 'column')}"
    columns = [
        Column("Method", False),
        Column("AUC", first="descending", note="chance that a true column ranks above another, mean of the splits"),
        Column("One on top", first="descending", note=f"share of the splits with a true column among {top}"),
        Column("All on top", first="descending", note=f"share of the splits with all true columns among {top}"),
        Column("Precision", first="descending", note="share of the chosen features that is true, mean of the splits"),
        Column("Recall", first="descending", note="share of the true columns that was chosen, mean of the splits"),
    ]
    rows = []
    for method, truth in known:
        shares = [Cell(frequency(share), share) for share in (truth.one, truth.all, truth.precision, truth.recall)]
        rows.append([name_cell(method.name, context.icon(method)), Cell(number(truth.auc), truth.auc), *shares])
    heads = [Column("Others"), *(Column(curve.name) for curve in curves)]
    numbers = [
        [Cell(frequency(share)), *(Cell(frequency(curve.height(share))) for curve in curves)] for share in SHARES
    ]
    alternative = (
        f"Share of the true columns against the share of the others ranked before them, {len(curves)} methods. "
        f"The largest area is that of {best}: {number(most.auc)}."
    )
    return Figure(
        "Do the true columns come first?",
        truth_chart(curves, alternative),
        Table("Share of the true columns by share of the others", heads, numbers),
        note=f"The {counted(most.n_true, 'column')} known to be relevant against the others, down each ranking, mean "
        f"of the splits; the sooner a line rises the better. “On top” is among {top}.",
        text=f"With {best} a true column ranks above another one in {percent(most.auc)} of all pairs.",
        table=Table("How well the true columns come first", columns, rows, is_sortable=True, sorted_by=1),
    )

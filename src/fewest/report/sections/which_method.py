"""Which method? A table by error, and which differences are more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.formatting import count, interval, number, p_value, percent, points, seconds, two_decimals
from fewest.report.charts.axis_scales import Scale
from fewest.report.elements import Cell, Column, Context, Panel, Row, Strip, Table, name_cell
from fewest.summary import ClassifierResult, Estimate, MethodSummary, SplitPairTest

_COLUMNS = (
    Column("Method", False),
    Column("Error", note="nested cross-validated: features and their number chosen without the test rows"),
    Column("95 % interval", False, note="on one scale from zero"),
    Column("Features", note="median over the splits, with the 10 % and 90 % quantiles"),
    Column("Rank", note="mean rank over the splits, 1 is best"),
    Column("Stability", first="descending", note="1: the same features in every resample, 0: as by chance"),
    Column("Time", note="one selection on the whole table"),
    Column("Worse?", False, note="significantly worse than the least error, adjusted for the number of methods"),
)
_MORE_COLUMNS = (
    Column("Method", False),
    Column("Balanced error", note="mean over the classes of the error in each"),
    Column("Macro F1", first="descending"),
    Column("Micro F1", first="descending"),
    Column("Optimistic", note="least error on the curve: the size was chosen by the same test rows"),
)
SIZES_WON = (
    "share of the sizes at which the first errs less, and at which the second does; from 90 % on the first is better "
    "nearly throughout (rho, the RM-characteristic)"
)
_PAIR_COLUMNS = (
    Column("Pair", False),
    Column("Difference", note="in points of error; below zero the first errs less"),
    Column("95 % interval", False),
    Column("p"),
    Column("p, adjusted", note="for the number of comparisons (Holm)"),
    Column("Better / worse / same", note="splits by McNemar's test at .05"),
    Column("Sizes won / lost", first="descending", note=SIZES_WON),
)


@dataclass(frozen=True)
class MethodsPanel:
    """The methods evaluated by one classifier.

    sentences : each method against the best
    more : other measures of the same test rows
    pairs, pair_sentences : every two methods, tested; None for a single method
    """

    table: Table
    sentences: list[str]
    more: Table
    pairs: Table | None
    pair_sentences: list[str]


def which_method(context: Context) -> list[Panel[MethodsPanel]]:
    """Compare the methods by error, for each classifier."""
    return context.panels((classifier, _panel(context, classifier)) for classifier in context.classifiers)


def _panel(context: Context, classifier: str) -> MethodsPanel | None:
    ranked = context.table.by_error(classifier)
    if not ranked:
        return None
    results = [method.results[classifier] for method in ranked]
    pairs = [pair for pair in context.table.pairs if pair.classifier == classifier]
    title = context.classifiers[classifier]
    more = [_measures(method, result) for method, result in zip(ranked, results, strict=True)]
    return MethodsPanel(
        _table(context, ranked, classifier),
        list(dict.fromkeys(result.sentence for result in results if result.sentence)),
        Table(f"Other measures, {title}", _MORE_COLUMNS, more, is_sortable=True),
        _pairs(pairs) if pairs else None,
        list(dict.fromkeys(pair.sentence for pair in pairs)),
    )


def _table(context: Context, ranked: Sequence[MethodSummary], classifier: str) -> Table:
    everything, chance = context.table.all_features.get(classifier), context.table.chance_error
    results = [method.results[classifier] for method in ranked]
    reached = max(max(one.high, one.error) for one in (*results, *([everything] if everything else [])))
    # Chance is on the scale unless it would press all others together.
    scale = Scale(0, max(reached, chance if chance < 2 * reached else 0.0) or 1.0, 0, 100)
    rows: list[tuple[float, str, Row]] = [
        (result.error, "", _row(context, method, result, scale, is_best=method is ranked[0]))
        for method, result in zip(ranked, results, strict=True)
    ]
    if everything:
        rows.append((everything.error, "level", _level_row("all features", everything, context.table.n_columns, scale)))
    rows.append((chance, "level", _level_row("chance", Estimate(chance, chance, chance), None, scale)))
    rows.sort(key=lambda row: row[0])
    return Table(
        f"Methods by nested cross-validated error, {context.classifiers[classifier]}",
        _COLUMNS,
        [row for _, _, row in rows],
        is_sortable=True,
        sorted_by=1,
        kinds=[kind for _, kind, _ in rows],
    ).without_empty_columns()


def _row(context: Context, method: MethodSummary, result: ClassifierResult, scale: Scale, *, is_best: bool) -> Row:
    index = method.stability.index if method.stability else None
    return [
        name_cell(method.name, context.icon(method)),
        Cell(percent(result.error), result.error),
        _interval_cell(result, scale, context.looks[method.name].css),
        Cell(f"{count(result.size)} ({count(result.size_low)}–{count(result.size_high)})", result.size),
        Cell(number(result.rank), result.rank),
        Cell(two_decimals(index), index),
        Cell(seconds(method.seconds), method.seconds),
        Cell("best" if is_best else "no" if result.is_not_worse else "yes"),
    ]


def _level_row(name: str, result: Estimate, size: int | None, scale: Scale) -> Row:
    return [
        Cell(name),
        Cell(percent(result.error), result.error),
        _interval_cell(result, scale),
        Cell(count(size), size),
        *[Cell()] * (len(_COLUMNS) - 4),
    ]


def _interval_cell(result: Estimate, scale: Scale, css: str = "") -> Cell:
    if result.error > scale.high:
        return Cell("", result.error)
    text = interval(result.low, result.high) if result.low < result.high else ""
    return Cell(text, result.error, strip=Strip.on(scale, result.error, result.low, result.high, css))


def _measures(method: MethodSummary, result: ClassifierResult) -> Row:
    optimistic = f"{percent(result.best_error)} at {count(result.best_size)}"
    return [
        name_cell(method.name),
        Cell(percent(result.balanced_error), result.balanced_error),
        Cell(two_decimals(result.macro_f1), result.macro_f1),
        Cell(two_decimals(result.micro_f1), result.micro_f1),
        Cell(optimistic, result.best_error),
    ]


def _pairs(found: Sequence[SplitPairTest]) -> Table:
    furthest = max(abs(value) for pair in found for value in (pair.difference, pair.low, pair.high)) or 1.0
    scale = Scale(-furthest, furthest, 0, 100)
    rows = [
        [
            Cell(pair.a, against=pair.b),
            Cell(points(pair.difference), pair.difference),
            Cell(
                f"{points(pair.low)} to {points(pair.high)}",
                pair.difference,
                strip=Strip.on(scale, pair.difference, pair.low, pair.high, zero=True),
            ),
            p_cell(pair.p),
            p_cell(pair.p_adjusted),
            Cell(f"{count(pair.better)} / {count(pair.worse)} / {count(pair.same)}"),
            Cell(f"{percent(pair.rho)} / {percent(pair.rho_back)}", pair.rho),
        ]
        for pair in found
    ]
    return Table("Differences between methods, in points of error", _PAIR_COLUMNS, rows, is_sortable=True)


def p_cell(p: float | None) -> Cell:
    """A p-value without its letter, which is in the head of the column."""
    return Cell(p_value(p).removeprefix("p = ").removeprefix("p "), p)

"""Which method? A table by error, and which differences are more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.display.formatting import (
    MetricFormat,
    count,
    count_in_words,
    counted,
    enumerated,
    frequency,
    p_value,
    percent,
    seconds,
    two_decimals,
)
from fewest.report.charts.axis_scales import Scale, range_of
from fewest.report.elements import Cell, Column, Context, Panel, Row, Strip, Table, name_cell
from fewest.summary import (
    ClassifierResult,
    Estimate,
    MethodSummary,
    NestedResult,
    PairTest,
    RecommendedSubset,
    SplitPairTest,
)

_LEVEL = 0.05

_METRIC_NOTE = "nested cross-validated: features and their number chosen without the test rows"
_COLUMNS = (
    Column("Method", False),
    Column("Error", note=_METRIC_NOTE),
    Column("95 % interval", False, note="all rows on one scale"),
    Column("Features", note="median over the splits, with the 10 % and 90 % quantiles"),
    Column("Rank", note="mean rank over the splits, 1 is best"),
    Column("Stability", first="descending", note="1: the same features in every split, 0: as by chance"),
    Column("Time", note="one selection on the whole table"),
    Column("Worse?", False, note="significantly worse than the best, adjusted for the number of methods"),
)
# What says nothing of a method that is alone.
_COMPARED = ("Rank", "Worse?")
_MORE_COLUMNS = (
    Column("Method", False),
    Column("Balanced error", note="mean over the classes of the error in each"),
    Column("Macro F1", first="descending"),
    Column("Micro F1", first="descending"),
    Column("Optimistic", note="the best on the curve: the size was chosen by the same test rows"),
)
SIZES_WON = (
    "share of the sizes at which the first is better, and at which the second is; from 90 % on the first is better "
    "nearly throughout (rho, the RM-characteristic)"
)
_PAIR_COLUMNS = (
    Column("Pair", False),
    Column("Difference", note="the first less the second"),
    Column("95 % interval", False),
    Column("p"),
    Column("p, adjusted", note="for the number of comparisons (Holm)"),
    Column("Better / worse / same", note="splits by McNemar's test at .05"),
    Column("Sizes won / lost", first="descending", note=SIZES_WON),
)


# A method's figures: with the classifier chosen inside each split, or with one classifier.
Figures = NestedResult | ClassifierResult
Ranked = Sequence[tuple[MethodSummary, Figures]]


@dataclass(frozen=True)
class ClassifierPanel:
    """The methods evaluated by one classifier.

    more : other measures of the same test rows
    pairs, pair_sentences : every two methods, tested, and in words those that differ; None for a single method
    """

    table: Table
    more: Table
    pairs: Table | None
    pair_sentences: list[str]


@dataclass(frozen=True)
class MethodsSection:
    """The methods with the classifier chosen inside each split, and with each classifier.

    note : what the figures are
    sentence : what differs significantly from the best; `sentences` are the tests of those that do
    """

    table: Table
    note: str
    sentence: str
    sentences: list[str]
    panels: list[Panel[ClassifierPanel]]


def which_method(context: Context) -> MethodsSection | None:
    """Compare the methods by error; None where none was evaluated."""
    known = [(method, figures) for method in context.table.completed if (figures := context.figures(method))]
    if not known:
        return None
    ranked: Ranked = sorted(known, key=lambda entry: entry[1].error)
    several = len(context.classifiers) > 1
    chosen = "the features, how many, and the classifier" if several else "the features, and how many,"
    return MethodsSection(
        _table(context, ranked, context.table.without_selection, context.table.recommended),
        f"{context.metric} is nested cross-validated: in every split {chosen} were chosen without the test rows."
        + (" “Chosen inside”: the method was too, as in the answer above." if len(ranked) > 1 else ""),
        against_best(ranked),
        list(dict.fromkeys(one.sentence for _, one in ranked if one.sentence and not one.is_not_worse)),
        context.panels((classifier, _panel(context, classifier)) for classifier in context.classifiers),
    )


def _panel(context: Context, classifier: str) -> ClassifierPanel | None:
    ranked = [(method, method.results[classifier]) for method in context.table.by_error(classifier)]
    if not ranked:
        return None
    pairs = [pair for pair in context.table.pairs if pair.classifier == classifier]
    title = context.classifiers[classifier]
    more = [_measures(context, method, result) for method, result in ranked]
    return ClassifierPanel(
        _table(context, ranked, context.table.all_features.get(classifier), None, title),
        Table(f"Other measures, {title}", _MORE_COLUMNS, more, is_sortable=True),
        _pairs(context, pairs) if pairs else None,
        pairs_in_words(pairs),
    )


def against_best(ranked: Ranked) -> str:
    """Say in one sentence which methods are significantly worse than the best; nothing of a single method."""
    if len(ranked) < 2:
        return ""
    best, others = ranked[0][0].name, ranked[1:]
    if not any(result.sentence for _, result in others):
        return "Differences cannot be tested with a single split."
    worse = [method.name for method, result in others if not result.is_not_worse]
    if not worse:
        those = others[0][0].name if len(others) == 1 else f"none of the other {count_in_words(len(others))} methods"
        verb = "is not significantly worse" if len(others) == 1 else "is significantly worse"
        return f"By the corrected t-test {those} {verb} than {best}."
    rest = "" if len(worse) == len(others) else "; the others are not"
    verb = "is" if len(worse) == 1 else "are"
    return f"By the corrected t-test {enumerated(worse)} {verb} significantly worse than {best}{rest}."


def pairs_in_words(pairs: Sequence[PairTest]) -> list[str]:
    """The tests of the pairs that differ significantly, and one sentence on all others."""
    found = [pair.sentence for pair in pairs if is_significant(pair)]
    rest = len(pairs) - len(found)
    if rest and found:
        found.append(f"The other {counted(rest, 'pair')} {'does' if rest == 1 else 'do'} not differ significantly.")
    elif rest:
        found.append("No two methods differ significantly.")
    return list(dict.fromkeys(found))


def is_significant(pair: PairTest) -> bool:
    """Whether two methods differ significantly, adjusted for the number of pairs."""
    return (pair.p if pair.p_adjusted is None else pair.p_adjusted) < _LEVEL


def _table(
    context: Context,
    ranked: Ranked,
    everything: Estimate | None,
    recommended: RecommendedSubset | None,
    classifier: str = "",
) -> Table:
    """The methods with all features and guessing, and the recommended procedure where it is not a method's own."""
    chance, form = context.table.chance_error, context.form
    alone = len(ranked) == 1
    procedure = None if alone else recommended
    drawn = [*(result for _, result in ranked), *filter(None, (everything, procedure))]
    scale = _scale(drawn, chance, form)
    rows: list[tuple[float, str, Row]] = [
        (result.error, "", _row(context, method, result, scale, is_best=method is ranked[0][0]))
        for method, result in ranked
    ]
    if procedure:
        row = _level_row(context, "chosen inside", procedure, procedure.size or None, scale)
        rows.append((procedure.error, "main", row))
    if everything:
        size = context.table.n_columns
        rows.append((everything.error, "level", _level_row(context, "all features", everything, size, scale)))
    rows.append((chance, "level", _level_row(context, "guessing", Estimate(chance, chance, chance), None, scale)))
    rows.sort(key=lambda row: row[0])
    first = "ascending" if form.lower_is_better else "descending"
    columns = [*_COLUMNS[:1], Column(context.metric, True, first, _METRIC_NOTE), *_COLUMNS[2:]]
    shown = [i for i, column in enumerate(columns) if not (alone and column.title in _COMPARED)]
    return Table(
        f"{context.metric if alone else f'Methods by {form.label}'}{', ' if classifier else ''}{classifier}",
        [columns[i] for i in shown],
        [[row[i] for i in shown] for _, _, row in rows],
        is_sortable=True,
        sorted_by=1,
        shows_caption=bool(classifier),
        kinds=[kind for _, kind, _ in rows],
    ).without_empty_columns()


def _scale(found: Sequence[Estimate], chance: float, form: MetricFormat) -> Scale:
    """The scale of the intervals: from zero where they come near it, to chance unless that is far beyond."""
    low, high = min(min(one.low, one.error) for one in found), max(max(one.high, one.error) for one in found)
    if low < chance < high + (high - low):
        high = max(high, chance)
    return Scale(*range_of(low, high), *_ends(form))


def _ends(form: MetricFormat) -> tuple[float, float]:
    """Where the least and the largest loss of a scale are, in percent of its length: low values are at the left."""
    return (0.0, 100.0) if form.lower_is_better else (100.0, 0.0)


def _row(context: Context, method: MethodSummary, result: Figures, scale: Scale, *, is_best: bool) -> Row:
    index, form = method.stability.index if method.stability else None, context.form
    return [
        name_cell(method.name, context.icon(method)),
        Cell(form.text(result.error), form.value(result.error)),
        _interval_cell(result, scale, form, context.looks[method.name].css),
        Cell(_sizes(result), result.size),
        Cell(f"{result.rank:.1f}", result.rank),
        Cell(two_decimals(index), index),
        Cell(seconds(method.seconds), method.seconds),
        Cell("best" if is_best else "no" if result.is_not_worse else "yes"),
    ]


def _sizes(result: Figures) -> str:
    """The median of the sizes, and between which most of them are."""
    if result.size_low == result.size == result.size_high:
        return count(result.size)
    return f"{count(result.size)} ({count(result.size_low)}–{count(result.size_high)})"


def _level_row(context: Context, name: str, result: Estimate, size: int | None, scale: Scale) -> Row:
    return [
        Cell(name),
        Cell(context.form.text(result.error), context.form.value(result.error)),
        _interval_cell(result, scale, context.form),
        Cell(count(size), size),
        *[Cell()] * (len(_COLUMNS) - 4),
    ]


def _interval_cell(result: Estimate, scale: Scale, form: MetricFormat, css: str = "") -> Cell:
    by = form.value(result.error)
    if not scale.low <= result.error <= scale.high:
        return Cell("", by)
    text = form.interval(result.low, result.high) if result.low < result.high else ""
    return Cell(text, by, strip=Strip.on(scale, result.error, result.low, result.high, css))


def _measures(context: Context, method: MethodSummary, result: ClassifierResult) -> Row:
    optimistic = f"{context.form.text(result.best_error)} at {count(result.best_size)}"
    return [
        name_cell(method.name),
        Cell(percent(result.balanced_error), result.balanced_error),
        Cell(two_decimals(result.macro_f1), result.macro_f1),
        Cell(two_decimals(result.micro_f1), result.micro_f1),
        Cell(optimistic, result.best_error),
    ]


def _pairs(context: Context, found: Sequence[SplitPairTest]) -> Table:
    form = context.form
    furthest = max(abs(value) for pair in found for value in (pair.difference, pair.low, pair.high)) or 1.0
    scale = Scale(-furthest, furthest, *_ends(form))
    ends = [(pair.low, pair.high) if form.lower_is_better else (pair.high, pair.low) for pair in found]
    rows = [
        [
            Cell(pair.a, against=pair.b),
            Cell(form.difference(pair.difference), pair.difference),
            Cell(
                f"{form.difference(first)} to {form.difference(last)}",
                pair.difference,
                strip=Strip.on(scale, pair.difference, pair.low, pair.high, zero=True),
            ),
            p_cell(pair.p),
            p_cell(pair.p_adjusted),
            Cell(f"{count(pair.better)} / {count(pair.worse)} / {count(pair.same)}"),
            Cell(f"{frequency(pair.rho)} / {frequency(pair.rho_back)}", pair.rho),
        ]
        for pair, (first, last) in zip(found, ends, strict=True)
    ]
    unit = f"points of {form.label}" if form.is_percentage else form.label
    return Table(f"Differences between methods, in {unit}", _PAIR_COLUMNS, rows, is_sortable=True)


def p_cell(p: float | None) -> Cell:
    """A p-value without its letter, which is in the head of the column."""
    return Cell(p_value(p).removeprefix("p = ").removeprefix("p "), p)

"""Over all tables: the answers side by side, mean ranks, and errors method by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fewest.display.formatting import MetricFormat, count, number, numbers, p_value, two_decimals
from fewest.report.charts.looks import Look
from fewest.report.charts.method_charts import ranks_chart
from fewest.report.elements import Cell, Column, Context, Figure, Row, Table, name_cell
from fewest.report.sections.which_method import is_significant, p_cell
from fewest.summary import AcrossTables

_OVERVIEW_COLUMNS = (
    Column("Table", False),
    Column("Rows"),
    Column("Columns"),
    Column("Method", False),
    Column("Features"),
    Column("Error", note="with its 95 % interval"),
    Column("All features"),
)
_PAIR_COLUMNS = (
    Column("Pair", False),
    Column("Difference", note="the first less the second, mean of the tables"),
    Column("Effect", note="by rank: −1, the first is better on every table; 1, the second is"),
    Column("p", note="Wilcoxon's signed rank test"),
    Column("p, adjusted", note="for the number of pairs (Holm)"),
)


@dataclass(frozen=True)
class AcrossSection:
    """The methods over all tables: ranks, pairs and errors."""

    found: AcrossTables
    ranks: Figure
    pairs: Table
    sentences: list[str]
    errors: Table | None


def overview(contexts: Sequence[Context]) -> Table:
    """List what was found in each table, with links."""
    rows: list[Row] = []
    for context in contexts:
        table, best = context.table, context.table.recommended
        row = [
            Cell(table.name, kind="name", href=f"#{context.key}"),
            Cell(count(table.n_rows), table.n_rows),
            Cell(count(table.n_columns), table.n_columns),
        ]
        if best:
            form, everything = context.form, table.without_selection or table.all_features.get(best.classifier)
            row += [
                name_cell(best.method) if best.features else Cell("none beats guessing"),
                Cell(count(best.size), best.size) if best.features else Cell(),
                Cell(form.with_interval(best.error, best.low, best.high), form.value(best.error)),
                Cell(form.text(everything.error), form.value(everything.error)) if everything else Cell(),
            ]
        rows.append(row + [Cell()] * (len(_OVERVIEW_COLUMNS) - len(row)))
    caption = "What was found in each table"
    columns = [
        replace(column, title=_metric(contexts)) if column.title == "Error" else column for column in _OVERVIEW_COLUMNS
    ]
    return Table(caption, columns, rows, is_sortable=True, shows_caption=False)


def _metric(contexts: Sequence[Context]) -> str:
    """The metric of all tables, or how each is measured."""
    first, *others = dict.fromkeys(context.form.label for context in contexts)
    return " or ".join([first[0].upper() + first[1:], *others])


def across_tables(found: AcrossTables, contexts: Sequence[Context], looks: Mapping[str, Look]) -> AcrossSection:
    """Compare the methods over all tables."""
    pairs, form = sorted(found.pairs, key=lambda pair: pair.p), contexts[0].form
    rows = [
        [
            Cell(pair.a, against=pair.b),
            Cell(form.difference(pair.difference), pair.difference),
            Cell(two_decimals(pair.effect), pair.effect),
            p_cell(pair.p),
            p_cell(pair.p_adjusted),
        ]
        for pair in pairs
    ]
    return AcrossSection(
        found,
        _ranks(found, looks),
        Table("Every pair of methods over the tables", _PAIR_COLUMNS, rows, is_sortable=True, sorted_by=3),
        list(dict.fromkeys(pair.sentence for pair in pairs if is_significant(pair))),
        _errors(contexts, looks),
    )


def _ranks(found: AcrossTables, looks: Mapping[str, Look]) -> Figure:
    ranked = list(zip(found.methods, found.mean_ranks, strict=True))
    groups = [(first, last) for first, last in found.groups if first < last]
    same = "; ".join(f"{found.methods[a]} to {found.methods[b]} do not differ significantly" for a, b in groups)
    ranks = ", ".join(f"{name} {number(rank)}" for name, rank in ranked)
    alternative = f"Mean ranks of {len(ranked)} methods, best first: {ranks}.{f' {same}.' if same else ''}"
    texts = numbers(found.mean_ranks)
    rows = [[name_cell(name), Cell(text, rank)] for (name, rank), text in zip(ranked, texts, strict=True)]
    return Figure(
        "Which methods differ by more than chance?",
        ranks_chart(ranked, groups, found.critical_difference, looks, alternative),
        Table("Mean rank over the tables", [Column("Method", False), Column("Mean rank")], rows),
        note="The lower the rank the better; a bar joins methods whose ranks do not differ significantly "
        f"(level {number(found.level)}, Nemenyi). All equal: {p_value(found.friedman_p)} (Friedman).",
    )


def _errors(contexts: Sequence[Context], looks: Mapping[str, Look]) -> Table | None:
    """The error by method and table, with the classifier that is recommended for each table."""
    errors = []
    for context in contexts:
        classifier = context.shown_first
        ranked = context.table.by_error(classifier) if classifier else []
        errors.append({method.name: figures.error for method in ranked if (figures := context.figures(method))})
    rows: list[Row] = []
    for name, look in looks.items():
        if any(name in own for own in errors):
            cells = (_error(own, name, context.form) for own, context in zip(errors, contexts, strict=True))
            rows.append([name_cell(name, look.swatch()), *cells])
    if not rows:
        return None
    columns = [Column("Method", False), *(Column(context.table.name) for context in contexts)]
    return Table(f"{_metric(contexts)} by method and table", columns, rows, is_sortable=True)


def _error(errors: Mapping[str, float], method: str, form: MetricFormat) -> Cell:
    error = errors.get(method)
    if error is None:
        return Cell()
    return Cell(form.text(error), form.value(error), "strong" if error <= min(errors.values()) else "")

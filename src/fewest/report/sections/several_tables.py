"""Over all tables: the answers side by side, mean ranks, and errors method by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fewest.formatting import count, number, p_value, percent, points, with_interval
from fewest.report.charts.looks import Look
from fewest.report.charts.rank_charts import ranks_chart
from fewest.report.context import Context, Summary, kept_together, paragraph
from fewest.report.markup import Markup, finite, joined, name_of, said, tag
from fewest.report.tables import Cell, Column, Row, behind, folded, named, table


def overview(contexts: Sequence[Context]) -> Markup:
    """One row a table: what was found, with a link to the rest."""
    rows: list[Row] = []
    for context in contexts:
        found, data = context.recommended, context.table
        error, size = finite(found.get("error")), finite(found.get("size"))
        everything = (data.get("all_features") or {}).get(found.get("classifier")) or {}
        whole = finite(everything.get("error"))
        rows.append(
            [
                tag("a", name_of(said(data, "name")), href=f"#{context.key}"),
                Cell(count(data.get("n_rows")), finite(data.get("n_rows"))),
                Cell(count(data.get("n_columns")), finite(data.get("n_columns"))),
                name_of(found["method"]) if found.get("method") else "–",
                Cell(count(size), size),
                Cell(with_interval(error, found.get("low"), found.get("high")), error),
                Cell(percent(whole), whole),
            ]
        )
    columns = [
        Column("Table", False),
        Column("Rows"),
        Column("Columns"),
        Column("Method", False),
        Column("Features"),
        Column("Error", note="with its 95 % interval"),
        Column("All features"),
    ]
    shown = table("What was found in each table", columns, rows, is_sortable=True, shows_caption=False)
    return tag("section", tag("h2", "What was found in each table?", class_="question"), shown, id="overview")


def across_tables(found: Summary, contexts: Sequence[Context], looks: Mapping[str, Look]) -> Markup:
    """Which method does best over all tables, as far as that can be told."""
    names = [str(name) for name in found.get("methods") or ()]
    ranks = [finite(rank) for rank in found.get("mean_ranks") or ()]
    ranked = sorted(
        ((name, rank) for name, rank in zip(names, ranks, strict=False) if rank is not None and name in looks),
        key=lambda pair: pair[1],
    )
    parts: list[Markup | None] = [paragraph(found.get("sentence"), "finding")]
    if len(ranked) > 1:
        groups = [
            (int(first), int(last)) for first, last in found.get("groups") or () if 0 <= first < last < len(ranked)
        ]
        difference, level, p = (finite(found.get(key)) for key in ("critical_difference", "level", "friedman_p"))
        together = "; ".join(f"{ranked[first][0]} to {ranked[last][0]} cannot be told apart" for first, last in groups)
        alternative = (
            f"Mean ranks of {len(ranked)} methods, best first: "
            + ", ".join(f"{name} {number(rank)}" for name, rank in ranked)
            + (f". {together}." if together else ".")
        )
        note = "The lower the rank the better; a bar joins methods whose ranks do not differ significantly"
        note += f" (level {number(level)}, Nemenyi)." if level is not None else "."
        if p is not None:
            note += f" All equal: {p_value(p)} (Friedman)."
        rows: list[Row] = [[named(name), Cell(number(rank), rank)] for name, rank in ranked]
        picture = ranks_chart(ranked, groups, difference, looks, alternative)
        title = tag("h3", "Which methods differ by more than chance?", class_="figure")
        parts.append(
            tag(
                "figure",
                tag("figcaption", title, tag("p", note, class_="note")),
                picture,
                behind("Mean rank over the tables", [Column("Method", False), Column("Mean rank")], rows),
            )
        )
    parts.append(_pairs(found))
    parts.append(_errors(contexts, looks))
    if not any(parts):
        return Markup()
    return tag("section", tag("h2", "Which method over all tables?", class_="question"), *parts, id="across")


def _pairs(found: Summary) -> Markup:
    """Every two methods over the tables, the clearest difference first; what is not significant is said in words."""
    pairs = [pair for pair in found.get("pairs") or () if finite(pair.get("p")) is not None]
    if not pairs:
        return Markup()
    pairs.sort(key=lambda pair: float(pair["p"]))
    columns = [
        Column("Pair", False),
        Column("Difference", note="mean of the tables, in points of error; below zero the first errs less"),
        Column("Effect", note="by rank: −1, the first errs less on every table; 1, the second does"),
        Column("p", note="Wilcoxon's signed rank test"),
        Column("p, adjusted", note="for the number of pairs (Holm)"),
    ]
    rows: list[Row] = []
    for pair in pairs:
        difference, effect, p, adjusted = (finite(pair.get(key)) for key in ("difference", "effect", "p", "p_adjusted"))
        rows.append(
            [
                joined([name_of(said(pair, "a")), " against ", name_of(said(pair, "b"))]),
                Cell(points(difference), difference),
                Cell("–" if effect is None else f"{effect:.2f}".replace("-", "\N{MINUS SIGN}"), effect),
                Cell(p_value(p).removeprefix("p = ").removeprefix("p "), p),
                Cell(p_value(adjusted).removeprefix("p = ").removeprefix("p "), adjusted),
            ]
        )
    sentences = list(dict.fromkeys(pair["sentence"] for pair in pairs if pair.get("sentence")))
    listed = folded(
        "In words", tag("ul", *(tag("li", kept_together(sentence)) for sentence in sentences), class_="words")
    )
    return joined(
        [
            tag("h3", "Which two methods differ?", class_="figure"),
            paragraph(found.get("pairs_sentence")),
            table("Every pair of methods over the tables", columns, rows, is_sortable=True, sorted_by=3),
            listed if sentences else None,
        ]
    )


def _errors(contexts: Sequence[Context], looks: Mapping[str, Look]) -> Markup:
    """Errors method by table, with the classifier that each table recommends."""
    chosen = [(context, context.shown_first) for context in contexts]
    least: dict[str, float] = {}
    for context, classifier in chosen:
        ranked = context.by_error(classifier) if classifier else []
        if ranked and classifier:
            least[context.key] = float(context.result(ranked[0], classifier)["error"])
    rows: list[Row] = []
    for name, look in looks.items():
        row: list[Cell | Markup | str] = [named(name, look.swatch())]
        for context, classifier in chosen:
            method = next((method for method in context.methods if said(method, "name") == name), None)
            result = context.result(method, classifier) if method and classifier else {}
            error = finite(result.get("error"))
            shown: Markup | str = percent(error)
            if error is not None and error <= least.get(context.key, -1.0):
                shown = tag("strong", shown)
            row.append(Cell(shown, error))
        if any(isinstance(cell, Cell) and cell.by is not None for cell in row):
            rows.append(row)
    if not rows or not least:
        return Markup()
    columns = [Column("Method", False), *(Column(said(context.table, "name")) for context in contexts)]
    note = "The least error of each table is bold; each table with the classifier that is recommended for it."
    shown_table = table("Honest error by method and table", columns, rows, is_sortable=True)
    return joined([shown_table, tag("p", note, class_="note")])

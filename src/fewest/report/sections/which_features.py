"""Which features? The answer in a sentence, and the list to take away."""

from __future__ import annotations

from fewest.formatting import count, number, percent
from fewest.report.context import Context, Summary, paragraph
from fewest.report.markup import Markup, embedded_json, finite, joined, name_of, said, tag
from fewest.report.tables import Cell, Column, Row, bar, table

#: More rows than these nobody reads; the copied list still has all of them.
_MOST_ROWS = 300


def which_features(context: Context) -> Markup:
    recommended = context.recommended
    features = [feature for feature in recommended.get("features") or () if feature]
    return context.section(
        "features",
        "Which features?",
        paragraph(recommended.get("sentence"), "answer"),
        paragraph(_how(context), "note"),
        warning(recommended.get("warning")),
        _list(context, features) if features else None,
    )


def warning(words: str | None) -> Markup | None:
    """What the reader has to know before anything else."""
    return tag("p", tag("strong", "Note."), " ", words, class_="warning", role="note") if words else None


def searchable(content: Markup, n_rows: int, *buttons: Markup) -> Markup:
    """A table with a box that keeps the rows whose name has what is typed."""
    search = tag(
        "label",
        tag("span", "Search", class_="unseen"),
        tag("input", type="search", placeholder="Search a feature", autocomplete="off", spellcheck="false"),
    )
    tally = tag("span", f"{count(n_rows)} shown", class_="tally", role="status")
    return tag("div", tag("div", search, tally, *buttons, class_="tools needs-script"), content, class_="searchable")


def _how(context: Context) -> str:
    recommended = context.recommended
    method, classifier = recommended.get("method"), recommended.get("classifier")
    if not method:
        return ""
    judged = f", judged by {context.classifiers.get(classifier, classifier)}" if classifier else ""
    return " ".join(filter(None, [f"Chosen by {method}{judged}.", recommended.get("choice")]))


def _list(context: Context, features: list[Summary]) -> Markup:
    scores = [finite(feature.get("score")) for feature in features]
    known = [score for score in scores if score is not None]
    # Bars begin at zero, or at the least score where some are below it.
    low = min(0.0, *known) if known else 0.0
    width = max([abs(score - low) for score in known], default=0.0) or 1.0
    has_frequency = any(finite(feature.get("frequency")) is not None for feature in features)
    has_substitute = any(feature.get("substitute") for feature in features)

    columns = [Column("Feature", False), Column("Order", note="the first was taken first")]
    if known:
        columns.append(Column("Score", False, "descending", "higher is better"))
    if has_frequency:
        columns.append(Column("Chosen in", False, "descending", "share of the resamples in which it was chosen"))
    if has_substitute:
        columns.append(Column("Substitute", False, note="the feature that stands in for it best"))

    rows: list[Row] = []
    for place, (feature, score) in enumerate(zip(features[:_MOST_ROWS], scores, strict=False), start=1):
        row: list[Cell | Markup | str] = [name_of(said(feature, "name")), Cell(str(place), place)]
        if known:
            row.append(Cell("–" if score is None else bar((score - low) / width, number(score)), score))
        if has_frequency:
            often = finite(feature.get("frequency"))
            row.append(Cell("–" if often is None else bar(often, percent(often)), often))
        if has_substitute:
            other = feature.get("substitute")
            row.append(name_of(other) if other else "–")
        rows.append(row)

    listed = table("The chosen features", columns, rows, is_sortable=True, sorted_by=1, shows_caption=False)
    cut = len(features) - len(rows)
    more = f"The first {count(len(rows))} are shown; the copied list has all {count(len(features))}." if cut else ""
    names = [said(feature, "name") for feature in features]
    return joined([searchable(listed, len(rows), copy_button("Copy list", names)), paragraph(more, "note")])


def copy_button(title: str, lines: list[str]) -> Markup:
    """A button that copies lines of text, with the lines."""
    label = tag("span", tag("span", title), tag("span", "Copied", aria_hidden="true"), class_="said")
    data = tag("script", embedded_json(lines), type="application/json")
    return tag("span", tag("button", label, type="button", class_="copy"), data, class_="needs-script")

"""Can I trust it? What a leak would have promised, how stable the choice is, and what is proved."""

from __future__ import annotations

from fewest.formatting import count, percent, points
from fewest.report.charts.heat_maps import chosen_map
from fewest.report.charts.row_charts import MethodRow, rows_chart
from fewest.report.context import Context, paragraph
from fewest.report.markup import Markup, finite, joined, name_of, said, tag
from fewest.report.sections.truth import true_columns
from fewest.report.sections.which_features import searchable
from fewest.report.tables import Cell, Column, Row, behind, folded, named, table

_MOST_FEATURES = 40
_MOST_RESAMPLES = 100
_MOST_ROWS = 200


def trust(context: Context) -> Markup:
    return context.section(
        "trust",
        "Can I trust it?",
        _leak(context),
        true_columns(context),
        _stability(context),
        _chosen_in(context),
        _certificates(context),
    )


def _leak(context: Context) -> Markup:
    panels = {classifier: _leak_panel(context, classifier) for classifier in context.classifiers}
    sentence = paragraph((context.table.get("leak") or {}).get("sentence"), "finding")
    if not any(panels.values()):
        return joined([sentence])
    return joined([sentence, context.switched("leak", panels)])


def _leak_panel(context: Context, classifier: str) -> Markup:
    rows: list[MethodRow] = []
    numbers: list[Row] = []
    for method in context.by_error(classifier):
        result = context.result(method, classifier)
        promised, honest = finite(result.get("leaked_error")), finite(result.get("error"))
        if promised is None or honest is None:
            continue
        name = said(method, "name")
        optimism = finite(result.get("optimism"))
        optimism = honest - promised if optimism is None else optimism
        words = f"{name}: promised {percent(promised)}, honest {percent(honest)}"
        rows.append(MethodRow(name, context.looks[name], honest, other=promised, words=words))
        numbers.append(
            [
                named(name),
                Cell(percent(promised), promised),
                Cell(percent(honest), honest),
                Cell(points(optimism), optimism),
            ]
        )
    if not rows:
        return Markup()
    high = max(max(row.at, row.other or 0.0) for row in rows)
    judged = context.classifiers[classifier]
    worst = max(rows, key=lambda row: row.at - (row.other or 0.0))
    alternative = (
        f"Error promised by selecting before splitting and honest error, {judged}. The widest gap is that of "
        f"{worst.name}: {percent(worst.other)} promised, {percent(worst.at)} honest."
    )
    columns = [Column("Method", False), Column("Promised"), Column("Honest"), Column("Optimism in points")]
    return context.figure(
        "What would selecting before splitting have promised?",
        rows_chart(rows, 0, high * 1.05 or 1.0, percent, "error", alternative),
        behind(f"Promised and honest error, {judged}", columns, numbers),
        note="Hollow: features chosen once on all rows, test rows included. Filled: the honest error.",
    )


def _stability(context: Context) -> Markup:
    rows = []
    for method in context.methods:
        stability = method.get("stability") or {}
        index = finite(stability.get("index"))
        if index is None:
            continue
        name, low, high = said(method, "name"), finite(stability.get("low")), finite(stability.get("high"))
        words = f"{name}: {index:.2f}" + (f" ({low:.2f} to {high:.2f})" if low is not None and high is not None else "")
        rows.append(MethodRow(name, context.looks[name], index, low, high, words=words))
    if not rows:
        return Markup()
    rows.sort(key=lambda row: -row.at)
    lowest = min([0.0, *(row.at if row.low is None else row.low for row in rows)])
    numbers: list[Row] = [
        [
            named(row.name),
            Cell(f"{row.at:.2f}", row.at),
            "–" if row.low is None or row.high is None else f"{row.low:.2f} to {row.high:.2f}",
        ]
        for row in rows
    ]
    return context.figure(
        "Would other rows have chosen the same features?",
        rows_chart(
            rows,
            max(lowest, -1.0),
            1.0,
            lambda value: f"{value:.2g}".replace("-", "\N{MINUS SIGN}"),
            "stability",
            f"Stability with its 95 % interval; the most stable is {rows[0].name} with {rows[0].at:.2f}.",
        ),
        behind("Stability", [Column("Method", False), Column("Stability"), Column("95 % interval")], numbers),
        _frequencies(context),
        note="1: the same features in every resample. 0: no more alike than by chance.",
    )


def _chosen_in(context: Context) -> Markup:
    found = context.table.get("chosen_in") or {}
    features = [str(name) for name in found.get("features") or ()][:_MOST_FEATURES]
    cells = [list(row)[:_MOST_RESAMPLES] for row in (found.get("cells") or ())][:_MOST_FEATURES]
    n = min(len(features), len(cells))
    if not n or not cells[0]:
        return Markup()
    features, cells = features[:n], cells[:n]
    shares = [sum(map(bool, row)) / max(len(row), 1) for row in cells]
    rows: list[Row] = [
        [name_of(name), Cell(percent(share), share), f"{sum(map(bool, row))} of {len(row)}"]
        for name, share, row in zip(features, shares, cells, strict=True)
    ]
    method = context.recommended.get("method")
    always = sum(share == 1 for share in shares)
    return context.figure(
        f"Which features did {method or 'the method'} choose in each resample?",
        chosen_map(
            features,
            cells,
            shares,
            f"{n} features by {len(cells[0])} resamples; {always} of them were chosen in every one.",
        ),
        behind(
            "How often each feature was chosen", [Column("Feature", False), Column("Share"), Column("Resamples")], rows
        ),
    )


def _frequencies(context: Context) -> Markup:
    """How often each method chose each feature, those most often chosen first."""
    known: dict[str, dict[str, float]] = {}
    names = []
    for method in context.methods:
        listed = method.get("frequencies") or ()
        if listed:
            names.append(said(method, "name"))
        for entry in listed:
            often = finite(entry.get("frequency"))
            if often is not None:
                known.setdefault(said(entry, "feature"), {})[said(method, "name")] = often
    if not known:
        return Markup()
    ordered = sorted(known, key=lambda feature: -sum(known[feature].values()))[:_MOST_ROWS]
    rows: list[Row] = [
        [
            name_of(feature),
            *(Cell(percent(known[feature].get(name, 0.0)), known[feature].get(name, 0.0)) for name in names),
        ]
        for feature in ordered
    ]
    columns = [Column("Feature", False), *(Column(name, first="descending") for name in names)]
    cut = f"The {count(len(rows))} most often chosen of {count(len(known))}." if len(rows) < len(known) else ""
    whole = table("Share of the resamples in which each method chose a feature", columns, rows, is_sortable=True)
    return folded(
        "How often did each method choose each feature?", paragraph(cut, "note"), searchable(whole, len(rows))
    )


def _certificates(context: Context) -> Markup:
    recommended = context.recommended
    pairs = [(said(method, "name"), method.get("certificate")) for method in context.methods]
    known = [(name, str(words)) for name, words in pairs if words]
    own = recommended.get("certificate")
    if not known and not own:
        return Markup()
    listed = [joined([tag("dt", named(name, context.looks[name].dot())), tag("dd", words)]) for name, words in known]
    title = tag(f"h{context.level + 1}", "What is proved?", class_="figure")
    first = None
    if own:
        first = tag("p", tag("strong", name_of(recommended.get("method") or "The recommended method")), ": ", str(own))
    rest = tag("dl", *listed) if listed else None
    if first and rest:
        rest = folded("For every method", rest)
    return joined([title, first, rest])

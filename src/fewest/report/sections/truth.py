"""Do the true columns come first? Where it is known which columns tell the classes apart."""

from __future__ import annotations

from fewest.formatting import counted, number, percent
from fewest.report.charts.true_columns import PLACES, TruthCurve, truth_chart
from fewest.report.context import Context, Summary, paragraph
from fewest.report.markup import Markup, finite, said
from fewest.report.tables import Cell, Column, Row, behind, named, table


def true_columns(context: Context) -> Markup:
    """The curves, and what they come to."""
    known = [(place, method, method.get("truth") or {}) for place, method in enumerate(context.methods)]
    known = [entry for entry in known if finite(entry[2].get("auc")) is not None]
    curves = [
        TruthCurve(place, said(method, "name"), context.looks[said(method, "name")], points)
        for place, method, truth in known
        if len(points := _points(truth)) > 1
    ]
    if not curves:
        return Markup()
    known.sort(key=lambda entry: -float(entry[2]["auc"]))
    most = number(known[0][2]["auc"])
    equals = [said(method, "name") for _, method, truth in known if number(truth["auc"]) == most]
    best = " and ".join(equals) if len(equals) < 4 else f"{len(equals)} methods"
    n_true = max((finite(truth.get("n_true")) or 0.0 for _, _, truth in known), default=0.0)
    top = f"the first {counted(n_true, 'column')}" if n_true else "the first columns"
    columns = [
        Column("Method", False),
        Column(
            "AUC", first="descending", note="chance that a true column stands above another one, mean of the resamples"
        ),
        Column("One on top", first="descending", note=f"share of the resamples with a true column among {top}"),
        Column("All on top", first="descending", note=f"share of the resamples with all true columns among {top}"),
    ]
    rows: list[Row] = [
        [
            named(said(method, "name"), context.looks[said(method, "name")].swatch()),
            Cell(number(truth["auc"]), finite(truth["auc"])),
            *(Cell(percent(truth.get(key)), finite(truth.get(key))) for key in ("one", "all")),
        ]
        for _, method, truth in known
    ]
    heights: list[Row] = [[percent(share), *(percent(curve.height(share)) for curve in curves)] for share in PLACES]
    of = f"The {counted(n_true, 'column')} known to tell the classes apart" if n_true else "The true columns"
    alternative = (
        f"Share of the true columns against the share of the others that come in before them, {len(curves)} methods. "
        f"The largest area is that of {best}: {most}."
    )
    return context.figure(
        "Do the true columns come first?",
        truth_chart(curves, alternative),
        paragraph(f"With {best} a true column stands above another one in {percent(known[0][2]['auc'])} of all pairs."),
        table("How well the true columns come first", columns, rows, is_sortable=True, sorted_by=1),
        behind(
            "Share of the true columns by share of the others",
            [Column("Others"), *(Column(curve.name) for curve in curves)],
            heights,
        ),
        note=f"{of} against the others, down each ranking, mean of the resamples; the sooner a line rises the better. "
        f"“On top” is among {top}.",
    )


def _points(truth: Summary) -> list[tuple[float, float]]:
    found = [(finite(x), finite(y)) for x, y in truth.get("curve") or ()]
    return [(x, y) for x, y in found if x is not None and y is not None]

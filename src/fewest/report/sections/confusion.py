"""Which classes are recognised, and which are taken for which? The confusion matrix and the recall of each class."""

from __future__ import annotations

from fewest.display.formatting import count, percent
from fewest.report.charts.class_charts import labelled_map
from fewest.report.elements import Cell, Column, Context, Figure, Table, name_cell

# Of more classes the map shows those that are recognised least.
_MAX_CLASSES = 30


def confusion(context: Context) -> Figure | None:
    """Show the test predictions of the recommended procedure by class; None where they are not known."""
    found, names = context.table.confusion, [one.name for one in context.table.classes]
    if found is None or not any(map(any, found.counts)):
        return None
    totals = [sum(row) for row in found.counts]
    predicted = [sum(column) for column in zip(*found.counts, strict=True)]
    shares = [[n / (total or 1) for n in row] for row, total in zip(found.counts, totals, strict=True)]
    occurring = [code for code, total in enumerate(totals) if total]
    by_recall = sorted(occurring, key=lambda code: shares[code][code])
    # In the order of the classes, as far as there is room.
    shown = sorted(by_recall[:_MAX_CLASSES])
    texts = [[percent(shares[a][b]) if found.counts[a][b] else "" for b in shown] for a in shown]
    rows = []
    for code in by_recall:
        other = max((b for b in range(len(names)) if b != code), key=lambda b: shares[code][b])
        precision = found.counts[code][code] / predicted[code] if predicted[code] else None
        taken = f"{names[other]} ({percent(shares[code][other])})" if shares[code][other] else "–"
        rows.append(
            [
                name_cell(names[code]),
                Cell(percent(shares[code][code]), shares[code][code], bar=shares[code][code]),
                Cell(f"{count(found.counts[code][code])} of {count(totals[code])}", totals[code]),
                Cell(percent(precision), precision),
                name_cell(taken),
            ]
        )
    columns = [
        Column("Class", False),
        Column("Recall", False, note="share of its test rows that are recognised"),
        Column("Test rows", note="recognised, of those tested; a row counts once for each split that tests it"),
        Column("Precision", note="share of the rows predicted as this class that are of it"),
        Column("Most often taken for", False),
    ]
    least = by_recall[0]
    text = f"Least recognised is {names[least]}: {percent(shares[least][least])} of its test rows."
    if all(shares[code][code] == 1 for code in occurring):
        text = "Every test row was recognised."
    cut = f" The {len(shown)} least recognised of {count(len(occurring))}." if len(shown) < len(occurring) else ""
    labels = [names[code] for code in shown]
    alternative = f"Confusion matrix of {len(shown)} classes. {text}"
    numbers = [[name_cell(names[a]), *(Cell(count(found.counts[a][b])) for b in shown)] for a in shown]
    return Figure(
        "Which classes are taken for which?",
        labelled_map(
            labels, labels, [[shares[a][b] for b in shown] for a in shown], alternative, texts, "predicted as"
        ),
        Table(
            "Test rows by class (row) and predicted class (column)",
            [Column("Class", False), *map(Column, labels)],
            numbers,
        ),
        note=f"Of the test rows of each class, a row, the share predicted as each class.{cut}",
        text=text,
        table=Table("Recall by class, the least first", columns, rows, is_sortable=True, sorted_by=1),
    )

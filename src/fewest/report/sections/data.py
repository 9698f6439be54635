"""What is in the data? Kinds of columns, missing values, classes, what was set aside, and what the data check found."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from fewest.display.formatting import count, counted, frequency
from fewest.report.elements import Cell, Column, Context, Table, name_cell
from fewest.summary import DataSummary, Finding

# What to see before the answer, the gravest first: a feature that gives the class away, rows in both parts of a split.
_GRAVEST = ("leak", "duplicate")


@dataclass(frozen=True)
class DataSection:
    """The table as it came.

    facts : rows, kinds of columns and missing values, in a sentence
    names : the columns that were set aside
    set_aside : why, one finding for all columns of a kind
    findings : the other findings, the gravest first
    urgent : those of the findings that belong above the answer
    """

    facts: str
    names: Sequence[str]
    set_aside: list[Finding]
    findings: list[Finding]
    urgent: list[Finding]
    classes: Table


def data_section(context: Context) -> DataSection | None:
    """Show what the data check found; None where it was not made."""
    data = context.table.data
    if data is None:
        return None
    names = set(data.set_aside)
    set_aside = [one for one in data.findings if one.columns and names.issuperset(one.columns)]
    others = sorted((one for one in data.findings if one not in set_aside), key=_gravity)
    urgent = [one for one in others if one.severity != "note"]
    return DataSection(_facts(data), data.set_aside, set_aside, others, urgent, _classes(context))


def flagged_columns(data: DataSummary | None) -> Set[str]:
    """The columns that the data check warns of, but did not set aside."""
    if data is None:
        return frozenset()
    found = (one for one in data.findings if one.severity != "note")
    return frozenset(name for one in found for name in one.columns) - frozenset(data.set_aside)


def _gravity(finding: Finding) -> tuple[int, int]:
    severity = ("error", "warning", "note").index(finding.severity)
    kind = next((i for i, grave in enumerate(_GRAVEST) if grave in finding.kind), len(_GRAVEST))
    return severity, kind


def _facts(data: DataSummary) -> str:
    kinds = data.kinds
    parts = [
        f"{count(n)} {words}"
        for n, words in (
            (kinds.numbers, "of numbers"),
            (kinds.binary, "of two values"),
            (kinds.categories, "of categories"),
            (kinds.dates, "of dates"),
            (kinds.constant, "constant"),
        )
        if n
    ]
    n_read = kinds.numbers + kinds.binary + kinds.categories + kinds.constant
    values = max(data.n_rows * n_read, 1)
    missing = (
        f"{counted(kinds.with_missing, 'column has', 'columns have')} missing values, {count(data.n_missing)} in all "
        f"({frequency(data.n_missing / values)})."
        if data.n_missing
        else "No value is missing."
    )
    columns = f"{counted(data.n_columns, 'column')}{': ' if parts else ''}{', '.join(parts)}"
    return f"{counted(data.n_rows, 'row')}; {columns}. {missing}"


def _classes(context: Context) -> Table:
    classes = sorted(context.table.classes, key=lambda one: -one.count)
    total = sum(one.count for one in classes) or 1
    rows = [
        [
            name_cell(one.name),
            Cell(count(one.count), one.count),
            Cell(frequency(one.count / total), one.count, bar=one.count / total),
        ]
        for one in classes
    ]
    columns = [Column("Class", False), Column("Rows", first="descending"), Column("Share", False, "descending")]
    return Table("The classes, the largest first", columns, rows, is_sortable=True, sorted_by=1, shows_caption=False)

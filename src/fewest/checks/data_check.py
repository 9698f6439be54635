"""DataCheck: what the check found in a table, as text, table, dictionary and HTML."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from fewest.display.formatting import count, counted, percent
from fewest.display.tables import to_frame
from fewest.summary import ColumnKinds, DataSummary, Finding

Kind = Literal["numbers", "binary", "categories", "constant", "dates", "unknown"]

_SEVERITIES = ("error", "warning", "note")
_WIDTH = 100
_MOST_NAMED = 5


class ColumnDescription(NamedTuple):
    """One column as the check saw it.

    kind : numbers, binary (two values), categories, constant, dates, or unknown where it could not be read
    missing : the share of missing values; None where the column was not read, such as dates
    n_distinct : the number of distinct values; None where there are too many to count cheaply
    """

    name: str
    kind: Kind
    missing: float | None
    n_distinct: int | None


@dataclass(frozen=True)
class DataCheck:
    """What is odd about a table: findings, what was set aside, and a description of every column.

    Parameters
    ----------
    n_rows : int
        The number of rows that were read.
    findings : tuple of Finding
        Each with its kind, severity ("error", "warning" or "note"), columns, message and action; the most severe first.
    set_aside : tuple of str
        The columns that `fewest select` and `compare` leave out: identifiers, row counters, constants, columns of
        groups, dates.
    columns : tuple of ColumnDescription
        The name, kind, share of missing values and number of distinct values of each column.
    n_missing : int
        The number of missing values.

    See Also
    --------
    check_data : Makes one.

    Examples
    --------
    >>> from fewest import check_data
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> check_data(X.assign(number=range(150)), y).set_aside
    ('number',)
    """

    n_rows: int
    findings: tuple[Finding, ...]
    set_aside: tuple[str, ...]
    columns: tuple[ColumnDescription, ...]
    n_missing: int

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings for which the table cannot be used as it is."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that somebody should look at."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    @property
    def summary(self) -> DataSummary:
        """The description of the data that goes into a comparison."""
        kinds = [column.kind for column in self.columns]
        with_missing = sum(bool(column.missing) for column in self.columns)
        counts = {kind: kinds.count(kind) for kind in ("numbers", "binary", "categories", "constant", "dates")}
        all_kinds = ColumnKinds(**counts, with_missing=with_missing)
        return DataSummary(self.n_rows, len(kinds), all_kinds, self.n_missing, self.findings, self.set_aside)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dictionaries and lists, for JSON.

        Returns
        -------
        dict
            The fields, with `findings` and `columns` as lists of dictionaries.
        """
        return {
            "n_rows": self.n_rows,
            "n_columns": len(self.columns),
            "n_missing": self.n_missing,
            "set_aside": list(self.set_aside),
            "findings": [{**asdict(finding), "columns": list(finding.columns)} for finding in self.findings],
            "columns": [column._asdict() for column in self.columns],
        }

    def to_frame(self) -> Any:
        """Return the findings as a frame.

        Returns
        -------
        frame of pandas, or of polars where pandas is not installed
            One row a finding: severity, kind, columns, message, action.
        """
        names = ("severity", "kind", "columns", "message", "action")
        return to_frame(
            {
                name: [", ".join(one.columns) if name == "columns" else getattr(one, name) for one in self.findings]
                for name in names
            }
        )

    def __str__(self) -> str:
        """The findings as lines of text, the most severe first."""
        lines = [self._headline()]
        for finding in self.findings:
            text = f"{_shown(finding.message)} {_shown(finding.action)}"
            lines += [
                "",
                *_wrapped(text, f"{finding.severity:<8} "),
            ]
        return "\n".join(lines)

    __repr__ = __str__

    def _headline(self) -> str:
        kinds = self.summary.kinds
        parts = [
            f"{count(number)} {name}"
            for number, name in (
                (kinds.numbers, "of numbers"), (kinds.binary, "of two values"), (kinds.categories, "of categories"),
                (kinds.dates, "of dates"), (kinds.constant, "constant"),
            )
            if number
        ]  # fmt: skip
        size = f"{counted(self.n_rows, 'row')}, {counted(len(self.columns), 'column')}"
        head = f"{size}{': ' if parts else ''}{', '.join(parts)}"
        if self.n_missing:
            n_values = max(self.n_rows * sum(column.missing is not None for column in self.columns), 1)
            head += f"; {percent(self.n_missing / n_values)} of the values are missing"
        return f"{head}." if self.findings else f"{head}. Nothing odd was found."

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{finding.severity}</td><td>{html.escape(_named(finding.columns))}</td>"
            f"<td>{html.escape(_shown(finding.message))}</td><td>{html.escape(_shown(finding.action))}</td></tr>"
            for finding in self.findings
        )
        table = f"<table><tr><th></th><th>columns</th><th>found</th><th>done, or to do</th></tr>{rows}</table>"
        return f"<p>{html.escape(self._headline())}</p>{table if self.findings else ''}"


def _wrapped(text: str, start: str) -> list[str]:
    """The lines of a text, the others indented as far as the start of the first; none begins with a percent sign."""
    unbroken = text.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(unbroken, _WIDTH, initial_indent=start, subsequent_indent=len(start) * " ")
    return [line.replace("\N{NO-BREAK SPACE}%", " %") for line in lines]


def by_severity(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, the most severe first."""
    return tuple(sorted(findings, key=lambda finding: _SEVERITIES.index(finding.severity)))


def quoted(names: Sequence[str]) -> str:
    """Names in quotes, the first few of many."""
    return _first_of([repr(name) for name in names])


def _named(names: Sequence[str]) -> str:
    return _first_of([_shown(name) for name in names])


def _first_of(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:_MOST_NAMED])
    return shown if len(texts) <= _MOST_NAMED else f"{shown} and {count(len(texts) - _MOST_NAMED)} more"


def _shown(text: str) -> str:
    """Text without what would break a line or control a terminal."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)

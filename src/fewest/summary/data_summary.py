"""The table itself: kinds of columns, classes, and the findings of the data check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self


@dataclass(frozen=True)
class Finding:
    """Something that the data check found.

    kind : a short name of it, such as "identifier", "constant", "leak"
    severity : "note" where nothing need be done, "warning" where somebody should look, "error" where the table cannot
        be used as it is
    columns : the names of the columns concerned; none where it is about the rows, the classes or the table
    message : what was found, in a sentence
    action : what was done about it, or what to do, in a sentence
    """

    kind: str
    severity: Literal["note", "warning", "error"]
    columns: Sequence[str]
    message: str
    action: str


@dataclass(frozen=True)
class ColumnKinds:
    """The number of columns of each kind; every column is of one kind only.

    numbers : columns of numbers with more than two values
    binary : columns of two values, numbers or text
    categories : columns of text or categories with more than two values
    constant : columns of one value, or of none
    dates : columns of dates, times or durations
    with_missing : the columns, of any kind, with missing values
    """

    numbers: int
    binary: int
    categories: int
    constant: int
    dates: int
    with_missing: int


@dataclass(frozen=True)
class DataSummary:
    """What a table holds and what the data check found in it.

    n_columns : the features as given, those that were set aside included
    n_missing : the number of missing values
    set_aside : the names of the columns that were left out before anything was selected
    """

    n_rows: int
    n_columns: int
    kinds: ColumnKinds
    n_missing: int
    findings: Sequence[Finding]
    set_aside: Sequence[str]

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        findings = [Finding(**finding | {"columns": tuple(finding["columns"])}) for finding in content["findings"]]
        kinds = ColumnKinds(**content["kinds"])
        return cls(**{**content, "kinds": kinds, "findings": tuple(findings), "set_aside": tuple(content["set_aside"])})


@dataclass(frozen=True)
class ClassCount:
    """A class and its number of rows."""

    name: str
    count: int

"""How was it made? Everything needed to make the page again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from fewest.formatting import seconds
from fewest.report.elements import Cell, Column, Table, name_cell
from fewest.summary import Summary, TableSummary

_RULES = {
    "1se": "the smallest within one standard error of the least error",
    "min": "the one with the least error",
}


@dataclass(frozen=True)
class ProvenanceSection:
    """How the comparison was run, as titles and values; the data; the parameters; the command."""

    entries: list[tuple[str, str]]
    tables: list[TableSummary]
    parameters: Table
    command: str | None


def provenance(summary: Summary) -> ProvenanceSection:
    """Show how the comparison was run."""
    setup = summary.setup
    entries = [
        ("Test", setup.outer),
        ("Choice of size", f"{setup.inner}: {_RULES[setup.rule]}"),
        ("Classifiers", ", ".join(setup.classifiers.values())),
        ("Seed", str(setup.seed)),
        ("Time", seconds(setup.seconds)),
        ("Version", f"fewest {setup.version}"),
    ]
    methods = [(method.name, _written(method.parameters)) for table in summary.tables for method in table.methods]
    rows = [[name_cell(name), Cell(parameters, kind="code")] for name, parameters in dict.fromkeys(methods)]
    parameters = Table("Parameters", [Column("Method", False), Column("Parameters", False)], rows)
    return ProvenanceSection(entries, list(summary.tables), parameters, setup.command)


def _written(parameters: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in parameters.items()
    )

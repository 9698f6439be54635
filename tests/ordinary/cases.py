"""What fewest answers about an ordinary table, beside the truth about it: what run.py and the tests count.

>>> case_of("select", TABLES["customers"](seed=3), folder)   # of the commands of COMMANDS
{'table': 'customers', 'seed': 3, 'command': 'select', 'form': 'tab', 'never': [], 'n_right': 5, 'n_taken': 5, ...}
"""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from fewest import Comparison, Selection, check_data, compare

from ..cli.running import run
from .tables import FORMATS, OrdinaryTable

#: Every way in: the files, and the frame itself in Python.
FORMS = (*FORMATS, "pandas")
NO_FEATURES = "No features were found that beat guessing"
#: Enough to see what is said of a table, and nothing about how good the features are.
BRIEF = ("--methods", "fisher-score", "--classifiers", "nb", "--outer", "2", "--inner", "2", "--no-leak")


def form_of(table: OrdinaryTable) -> str:
    """The form that this table is tried in: each in turn as the seeds go by."""
    return FORMS[(table.seed + len(table.name)) % len(FORMS)]


def said_by(command: str, table: OrdinaryTable, form: str, folder: Path, options: Sequence[str]) -> tuple[str, str]:
    """What the command printed, on both streams, and the JSON that it wrote."""
    path, found = table.write(folder, form), folder / "found.json"
    arguments = [str(path), "--target", table.target, *table.options(form), *options]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(command, *arguments, "--json", str(found), "--force")
    assert code == 0, err.getvalue()
    return out.getvalue() + err.getvalue(), found.read_text("utf-8")


def select(table: OrdinaryTable, form: str, folder: Path, *options: str) -> tuple[str, Selection]:
    """What the command said, and the selection, of a file in one of the formats."""
    said, written = said_by("select", table, "comma" if form == "pandas" else form, folder, options)
    return said, Selection.from_json(written)


def compare_table(table: OrdinaryTable, form: str, folder: Path, *options: str) -> tuple[str, Comparison]:
    """What was said, and the comparison. The frame goes to compare() with the defaults of the command."""
    if form != "pandas":
        said, written = said_by("compare", table, form, folder, (*options, "--jobs", "1"))
        return said, Comparison.from_json(written)
    # Every other option has a value, in pairs.
    pairs = [one for one in options if one != "--no-leak"]
    given = {name.lstrip("-"): value for name, value in zip(pairs[::2], pairs[1::2], strict=True)}
    methods = given.pop("methods").split(",") if "methods" in given else None
    named = {"classifiers": given.pop("classifiers").split(",")} if "classifiers" in given else {}
    numbers = {name: int(value) for name, value in given.items()}
    leak = len(pairs) == len(options)
    found = compare(methods, {table.name: (table.X, table.y)}, n_jobs=1, leak=leak, **named, **numbers)
    return str(found), found


def case_of(command: str, table: OrdinaryTable, folder: Path, *options: str) -> dict[str, Any]:
    """One command on one table: the record of what it answered.

    never : identifiers, counters, constants and group columns among the features, at whatever size
    n_right, n_taken : the true drivers among the features at the true size, and these features
    noise : whether it is said that the features are no better than guessing
    error, standard_error, guessing : of compare, what it promises, and the no-information rate
    flagged : where the planted leak is named, for the command "leak"
    """
    started, form = time.process_time(), form_of(table)
    record: dict[str, Any] = {"table": table.name, "seed": table.seed, "command": command, "form": form}
    if command == "leak":
        record |= _leak(table.with_leak(), form, folder)
    else:
        answer = {"select": _select, "compare": _compare}[command]
        features, about = answer(table, form, folder, *options)
        taken = set(features)
        record |= {"features": list(features), **about}
        if table.drivers:
            size = ("--features",) if command == "select" else ("--no-leak", "--sizes")
            at_true_size = answer(table, form, folder, *options, *size, str(table.size))[0]
            taken |= set(at_true_size)
            record |= {"n_right": len(set(at_true_size) & set(table.drivers)), "n_taken": len(at_true_size)}
        record["never"] = sorted(taken & set(table.never))
    return record | {"seconds": round(time.process_time() - started, 1)}


#: What run.py runs for every table.
COMMANDS = ("select", "leak", "compare")


def _select(table: OrdinaryTable, form: str, folder: Path, *options: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    _, found = select(table, form, folder, *options)
    return found.features, {"noise": any("no better than" in note for note in found.provenance.notes)}


def _compare(table: OrdinaryTable, form: str, folder: Path, *options: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    said, found = compare_table(table, form, folder, *options)
    is_noise = said.splitlines()[1].startswith(NO_FEATURES)
    assert is_noise == (found.features == ()), said
    (result,), (summary,), (best,) = found.tables, found.summary.tables, found.recommendations.values()
    losses = best.run.losses
    spread = losses.std(ddof=1) * (1 / len(losses) + result.n_test / result.n_train) ** 0.5
    error = {"error": summary.recommended.error, "standard_error": spread, "guessing": result.chance_error}
    return found.features, {"noise": is_noise, **error}


def _leak(table: OrdinaryTable, form: str, folder: Path) -> dict[str, Any]:
    """Where the leak is flagged: by check_data, by select and compare in the terminal, and on the page."""
    (leak,) = table.leaks
    findings = [one for one in check_data(table.X, table.y).findings if one.kind in ("leak", "target-copy")]
    named = {column for one in findings for column in one.columns}
    form = "comma" if form == "pandas" else form
    by_select, _ = select(table, form, folder, "--method", "fisher-score", "--features", "2")
    by_compare, found = compare_table(table, form, folder, *BRIEF)
    warned = any(one.severity == "warning" and leak in one.columns for one in findings)
    sentence = next((one.message for one in found.summary.tables[0].data.findings if leak in one.columns), None)
    places = {
        "check_data": warned,
        "select": leak in _warnings(by_select),
        "compare": leak in _warnings(by_compare),
        "page": sentence is not None and leak in found.to_html(),
    }
    # With sixty rows a true gene may separate all of them too: that is for somebody to look at.
    beside = named - {leak} - (set(table.drivers) if table.name == "genes" else set())
    return {"flagged": sorted(place for place, is_so in places.items() if is_so), "flagged_beside": sorted(beside)}


def _warnings(said: str) -> str:
    return "\n".join(line for line in said.splitlines() if line.startswith("warning: "))

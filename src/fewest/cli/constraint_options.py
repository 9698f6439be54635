"""The options of select that constrain which columns may be chosen."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from fewest.errors import InvalidInput, InvalidParameter

R = TypeVar("R")

_OPTIONS = (
    click.option("--keep", metavar="NAME", multiple=True, help="A column that is in from the start, or a glob."),
    click.option("--forbid", metavar="NAME", multiple=True, help="A column that is never used, or a glob."),
    click.option(
        "--column-group", "column_groups", metavar="GROUP=NAME,…", multiple=True,
        help="Columns that are taken or left as one: colour=colour_*.",
    ),
    click.option("--at-most", metavar="NAME=N", multiple=True, help="At most N of a kind: 'sensor_*=2'."),
    click.option("--cost", "costs", metavar="NAME=COST", multiple=True, help="What a column costs: mri=500."),
    click.option("--costs", "cost_file", metavar="FILE", help="The same from a CSV file of names and costs."),
    click.option("--budget", metavar="COST", type=float, help="What the chosen columns may cost together."),
    click.option("--cost-weight", metavar="VALUE", type=float, help="What a unit of cost takes from the objective."),
)  # fmt: skip


def constraint_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options to a command, which is given them as one argument, constraints: parameters of a selector."""

    @functools.wraps(command)
    def with_constraints(*args: object, **options: Any) -> R:
        costs = {**_read_costs(options.pop("cost_file")), **_numbers("--cost", options.pop("costs"))}
        given: dict[str, object] = {
            "keep": list(options.pop("keep")),
            "forbid": list(options.pop("forbid")),
            "column_groups": _groups(options.pop("column_groups")),
            "at_most": {name: _whole(name, n) for name, n in _numbers("--at-most", options.pop("at_most")).items()},
            "costs": costs,
        }
        constraints = {name: value for name, value in given.items() if value}
        for name in ("budget", "cost_weight"):
            if (value := options.pop(name)) is not None:
                constraints[name] = value
        return command(*args, constraints=constraints, **options)

    decorated: Callable[..., R] = with_constraints
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _groups(settings: Sequence[str]) -> dict[str, list[str]]:
    groups = {}
    for setting in settings:
        name, equals, members = setting.partition("=")
        if not equals or not name or not members:
            raise InvalidParameter(f"--column-group takes GROUP=NAME,NAME, such as colour=colour_*; got {setting!r}.")
        groups[name] = [member for member in members.split(",") if member]
    return groups


def _numbers(option: str, settings: Sequence[str]) -> dict[str, float]:
    found = {}
    for setting in settings:
        # The last sign: a name may hold one too.
        name, _, number = setting.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise InvalidParameter(f"{option} takes NAME=NUMBER, got {setting!r} instead.")
    return found


def _whole(name: str, number: float) -> int:
    if number != int(number):
        raise InvalidParameter(f"--at-most takes a whole number, got {name}={number:g} instead.")
    return int(number)


def _read_costs(file: str | None) -> dict[str, float]:
    """Read names and costs, a line each; a first line that holds no number is a header."""
    if file is None:
        return {}
    try:
        with Path(file).open(newline="", encoding="utf-8-sig") as lines:
            rows = [row for row in csv.reader(lines) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"{file} cannot be read as names and costs ({error}). Give a CSV file.") from None
    costs = {}
    for number, row in enumerate(rows, start=1):
        try:
            name, cost = row
            costs[name] = float(cost)
        except ValueError:
            if number == 1:
                continue
            what = f"Line {number} of {file} holds {','.join(row)!r}, not a name and a cost."
            raise InvalidInput(f"{what} Write two fields: mri,500.") from None
    return costs

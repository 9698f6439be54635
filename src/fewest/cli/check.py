"""fewest check: what is odd about a table; and the check that select and compare make before anything else."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import click

from fewest.cli.output import Outputs, echo, printable
from fewest.cli.reading_options import ReadingOptions, read_source, reading_options, title_of
from fewest.start_up import import_scikit_learn

if TYPE_CHECKING:
    from fewest.checks.data_check import DataCheck
    from fewest.data.source import Source
    from fewest.summary import Finding

C = TypeVar("C", bound=Callable[..., object])

_ALLOW = click.option(
    "--allow", metavar="NAME", multiple=True, help="Let in a column that the data check would set aside; repeatable."
)


def check_options(command: C) -> C:
    """Add --allow and --check/--no-check to a command."""
    flag = click.option(
        "--check/--no-check", "is_checked", default=True, show_default=True,
        help="Check the data first; set aside identifiers, counters, constants and groups.",
    )  # fmt: skip
    return _ALLOW(flag(command))


@click.command()
@click.argument("data", nargs=-1, required=True)
@reading_options
@click.option("--groups", metavar="COLUMN", help="A column of groups, such as patients, which is no feature.")
@_ALLOW
@click.option("--json", "json_file", metavar="FILE", help="Write findings and columns; - is standard output.")
@click.option("--force", is_flag=True, help="Overwrite output files that exist.")
def check(
    data: tuple[str, ...], reading: ReadingOptions, groups: str | None, allow: tuple[str, ...], json_file: str | None,
    force: bool,
) -> None:  # fmt: skip
    """Say what is odd about DATA before features are selected: identifiers, constants, leaks, dates, groups, …"""
    import_scikit_learn()
    from fewest.checks.checking import check_data, check_with_any_target

    outputs = Outputs([json_file], force)

    def checked(drop_unlabelled: bool) -> DataCheck:
        chosen = replace(reading, drop_unlabelled=drop_unlabelled or reading.drop_unlabelled)
        source = read_source(data, chosen, other_roles=[groups], left_out_is_said=False)
        return check_data(source, groups=groups, allow=allow)

    found = check_with_any_target(checked)
    title = title_of(data)
    outputs.say(f"{printable(title)}: {found}")
    if json_file:
        content = json.dumps(found.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        outputs.write(json_file, content + "\n", "check")


def check_source(source: Source, allow: Sequence[str], is_checked: bool, target: str | None = None) -> Source:
    """The source without what the data check sets aside; what it finds is printed, a line each, on standard error."""
    if not is_checked:
        return source
    from fewest.checks.checking import set_aside

    checked, found = set_aside(source, allow, target=target)
    print_findings(found.findings)
    return checked


def print_findings(findings: Sequence[Finding]) -> None:
    """Print warnings, and notes about columns that were set aside, on standard error, a line each."""
    for finding in findings:
        # Other notes are for `fewest check`.
        if finding.severity == "warning" or finding.action.startswith("Set aside"):
            echo(printable(f"{finding.severity}: {finding.message} {finding.action}"), err=True)

"""fewest check: what is odd about a table."""

from __future__ import annotations

import json
from pathlib import Path

import click

from fewest.cli.output import check_writable, printable, write_text
from fewest.cli.reading import ReadingOptions, read_source, reading_options


@click.command()
@click.argument("data", nargs=-1, required=True)
@reading_options
@click.option("--groups", metavar="COLUMN", help="A column of groups, such as patients, which is no feature.")
@click.option("--allow", metavar="NAME", multiple=True, help="Let a column in whatever it looks like; repeatable.")
@click.option("--json", "json_file", metavar="FILE", help="Write the findings and a description of every column.")
@click.option("--force", is_flag=True, help="Overwrite output files that exist.")
def check(
    data: tuple[str, ...], reading: ReadingOptions, groups: str | None, allow: tuple[str, ...], json_file: str | None,
    force: bool,
) -> None:  # fmt: skip
    """Say what is odd about DATA before features are selected: identifiers, constants, leaks, dates, groups, …"""
    from fewest.checks.checking import check_data

    if json_file:
        check_writable([Path(json_file)], force)
    source = read_source(list(data), reading, other_roles=[groups])
    found = check_data(source, groups=groups, allow=allow)
    click.echo(printable(Path(data[0]).name if len(data) == 1 else f"{len(data)} files"), nl=False)
    click.echo(f": {found}")
    if json_file:
        write_text(
            json_file, json.dumps(found.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n", "check"
        )

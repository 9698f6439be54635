"""The options about reading a table, which select, compare and check share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from fewest.cli.output import echo, printable

if TYPE_CHECKING:
    from fewest.data.source import Source

R = TypeVar("R")


@dataclass(frozen=True)
class ReadingOptions:
    """How a table is read: the options that reading_options adds, by the names that scan gives them."""

    target: str | None = None
    drop_unlabelled: bool = False
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    id_column: str | None = None
    categories: tuple[str, ...] = ()
    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    transpose: bool = False
    merge: str | None = None


_OPTIONS = (
    click.option("--target", metavar="COLUMN", help="The column that holds the class; bundled data sets know theirs."),
    click.option(
        "--columns", metavar="NAME,…", multiple=True,
        help="Only these columns: names, globs (gene_*), ranges of names (a:f) or positions (3-20); repeatable.",
    ),
    click.option(
        "--drop", metavar="NAME,…", multiple=True, help="Leave out these columns, written in the same way; repeatable."
    ),
    click.option("--id", "id_column", metavar="COLUMN", help="The column that names the rows, which is no feature."),
    click.option(
        "--categories", metavar="NAME,…", multiple=True,
        help="Columns whose values are categories, whatever they look like, such as postcodes; repeatable.",
    ),
    click.option("--drop-unlabelled", is_flag=True, help="Leave out rows without a class instead of refusing them."),
    click.option("--sep", metavar="CHARACTER", help="What separates the fields of text: , ; tab | or space."),
    click.option("--decimal", metavar="CHARACTER", help="The decimal mark of numbers in text, a point or a comma."),
    click.option("--thousands", metavar="CHARACTER", help="What groups the digits of numbers in text."),
    click.option("--encoding", metavar="NAME", help="The encoding of text: utf-8, utf-16, latin-1, …"),
    click.option("--transpose", is_flag=True, help="Samples are columns and features are rows, as in gene tables."),
    click.option(
        "--merge", metavar="GROUP,…",
        help="Join classes: 0-4,5-9 joins ranges of numbers, junction=EI+IE two labels under a name; others stay.",
    ),
)  # fmt: skip


def reading_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options about reading to a command, which is given them as one argument, reading: a ReadingOptions."""

    @functools.wraps(command)
    def with_reading(*args: object, **options: object) -> R:
        reading = ReadingOptions(**{field.name: options.pop(field.name) for field in fields(ReadingOptions)})  # type: ignore[arg-type]
        return command(*args, reading=reading, **options)

    decorated: Callable[..., R] = with_reading
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def read_source(
    data: object,
    reading: ReadingOptions,
    *,
    weight: str | None = None,
    other_roles: Sequence[str | None] = (),
    left_out_is_said: bool = True,
    probes: int = 0,
    seed: int = 0,
) -> Source:
    """The source of files, a data set or the frame of an engine; what was found out about its text is printed as notes.

    weight : a column of sample weights
    other_roles : columns with a role of their own, such as groups, that are read whatever --columns and --drop say
    left_out_is_said : print which columns of dates were left out
    probes, seed : the number of columns of noise to add, and their seed
    """
    from fewest.data.column_choice import ColumnChoice, ReadingRequest
    from fewest.data.column_kinds import NumberMarks
    from fewest.data.derived.merged_classes import merged
    from fewest.data.derived.probed_source import probed
    from fewest.data.files.table_file import prefer_jemalloc
    from fewest.data.reading import read, reading_notes

    prefer_jemalloc()
    # A list of one is that one.
    named = data[0] if isinstance(data, list | tuple) and len(data) == 1 else data
    roles = [role for role in other_roles if role is not None]
    choice = ColumnChoice.of(reading.columns or None, reading.drop, reading.id_column, roles, reading.categories)
    request = ReadingRequest(
        target=reading.target,
        weight=weight,
        drop_unlabelled=reading.drop_unlabelled,
        choice=choice,
        marks=NumberMarks.of(reading.decimal, reading.thousands),
        sep=reading.sep,
        encoding=reading.encoding,
        transpose=reading.transpose,
    )
    source = read(list(named) if isinstance(named, tuple) else named, request)
    for note in reading_notes(source, left_out_is_said):
        echo(f"note: {printable(note)}", err=True)
    return probed(merged(source, reading.merge), probes, seed)


#: For commands that select.
probes_option = click.option(
    "--probes", metavar="N", default=0, show_default=True,
    help="Add N columns of noise, probe1, probe2, …, to see which methods choose them.",
)  # fmt: skip


def title_of(data: Sequence[str]) -> str:
    """What to call the data in the output: the name of a file without its folder, or how many files there are."""
    if len(data) > 1:
        return f"{len(data)} files"
    return "standard input" if data[0] == "-" else Path(data[0]).name

"""fewest verify: does a stored selection tell the truth about these data?"""

from __future__ import annotations

import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.engines import engine_options, opened
from fewest.cli.output import echo, finish_standard_output, printable
from fewest.cli.reading_options import ReadingOptions, probes_option, read_source, reading_options, title_of
from fewest.errors import FewestError, FewestWarning, UnreadableFile
from fewest.start_up import import_scikit_learn

if TYPE_CHECKING:
    from fewest.selection import Selection


@click.command()
@click.argument("selection_file", metavar="SELECTION.json")
@click.argument("data", nargs=-1, required=True)
@reading_options
@probes_option
@click.option("--groups", metavar="COLUMN", help="The column of groups that the selection was made with.")
@click.option("--weight", metavar="COLUMN", help="The column of row weights that the selection was made with.")
@engine_options
@click.option("--checks", "is_long", is_flag=True, help="List every check, also those that hold.")
def verify(
    selection_file: str, data: tuple[str, ...], reading: ReadingOptions, probes: int, groups: str | None,
    weight: str | None, engine: str | None, address: str | None, master: str | None, is_long: bool,
) -> None:  # fmt: skip
    """Recompute the selection that `fewest select --json SELECTION.json` wrote from DATA, which is read with the same
    options. Columns that were set aside are in the file. Exit code 0 if all it says holds, 1 if not."""
    import_scikit_learn()
    from fewest.evaluation.design.labelled_tables import take_column

    selection = _read_selection(selection_file)
    with ExitStack() as stack:
        frame = stack.enter_context(opened(data, engine, address, master))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", FewestWarning)
        given = read_source(frame, reading, weight=weight, other_roles=[groups], probes=probes, left_out_is_said=False)
        # The column of groups keeps its place among the columns of the file, and is one that was left out.
        of_rows = None if groups is None else take_column(given, groups, "groups", title_of(data))[1]
        found = selection.verify(given, groups=of_rows)
    echo(f"{printable(Path(selection_file).name)} on {printable(title_of(data))}: {found}")
    for check in found.checks if is_long else ():
        echo(printable(f"  {'holds' if check.holds else 'FAILS'}  {check}"))
    if not found:
        finish_standard_output()
        sys.exit(1)


def _read_selection(name: str) -> Selection:
    """The selection of a file; an error names the file."""
    from fewest.selection import Selection

    try:
        text = Path(name).read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UnreadableFile(f"{name} cannot be read: {reason}. Name the file that --json wrote.") from None
    try:
        return Selection.from_json(text)
    except FewestError as error:
        raise UnreadableFile(f"{name}: {error}") from None

"""fewest select: from a table to chosen features."""

from __future__ import annotations

import shlex
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.output import check_writable
from fewest.errors import FewestWarning

if TYPE_CHECKING:
    from fewest.data.source import Source
    from fewest.selectors.selector import Selector


@click.command()
@click.argument("data", nargs=-1, required=True)
@click.option("--target", metavar="COLUMN", help="The column that holds the class; bundled data sets know theirs.")
@click.option("--method", default="mrmr", show_default=True, help="How to choose: see `fewest methods`.")
@click.option("--features", metavar="N|SHARE|auto", help="How many; auto, the default, cross-validates.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter of the method; repeatable.")
@click.option("--weight", metavar="COLUMN", help="A column of row weights, where 2 is the row twice.")
@click.option("--drop-unlabelled", is_flag=True, help="Leave out rows without a class instead of refusing them.")
@click.option("-o", "--output", metavar="FILE", help="Write chosen columns and class (.csv, .tsv, .parquet, .arrow).")
@click.option("--json", "json_file", metavar="FILE", help="Write the selection with its certificate and provenance.")
@click.option("--report", metavar="FILE", help="Evaluate by nested cross-validation, and write one HTML page.")
@click.option("--force", is_flag=True, help="Overwrite output files that exist.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def select(
    data: tuple[str, ...], target: str | None, method: str, features: str | None, settings: tuple[str, ...],
    weight: str | None, drop_unlabelled: bool, output: str | None, json_file: str | None, report: str | None,
    force: bool, quiet: bool,
) -> None:  # fmt: skip
    """Choose features of DATA: CSV, TSV, Parquet, Arrow, .npz, .mat, svmlight, a folder or glob of Parquet files, or
    the name of a bundled data set such as wine."""
    from fewest.atomic_files import write_atomically
    from fewest.cli.description import describe
    from fewest.cli.export import check_format, export
    from fewest.data.scan import scan
    from fewest.selectors.registry import method_by_name
    from fewest.selectors.selector_parameters import literal, parameters_of

    kind = method_by_name(method)
    parameters = parameters_of(kind, settings)
    if features is not None or not ("n_features" in parameters or parameters.get("beta") is not None):
        parameters["n_features"] = "auto" if features is None else literal(features)
    outputs = [Path(name) for name in (output, json_file, report) if name]
    check_writable(outputs, force)
    if output:
        check_format(Path(output))

    selector = kind(**{"verbose": not quiet and sys.stderr.isatty(), **parameters})
    selector.checked_sentence()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", FewestWarning)
        source = scan(list(data) if len(data) > 1 else data[0], target, weight=weight, drop_unlabelled=drop_unlabelled)
        selector.fit(source)
    click.echo(describe(selector.selection_, _title(data)))
    notes = selector.notes_
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        if message not in notes:
            click.echo(f"note: {message}", err=True)
    if json_file:
        write_atomically(Path(json_file), lambda path: path.write_text(selector.selection_.to_json() + "\n", "utf-8"))
        click.echo(f"selection written to {json_file}")
    if output:
        write_atomically(Path(output), lambda path: export(source, selector.selection_, path, target or "target"))
        click.echo(f"chosen columns written to {output}")
    if report:
        _report(selector, source, _title(data), report, quiet)


def _report(selector: Selector, source: Source, title: str, report: str, quiet: bool) -> None:
    """Evaluate this method alone, and write the page."""
    from fewest.cli.compare import write_outputs
    from fewest.evaluation.design.compared_methods import to_sizes
    from fewest.evaluation.run.comparing import compare

    size = max(1, len(selector.selection_))
    # A requested size is evaluated as it is; with auto, the choice of the size is evaluated too.
    sizes = {size} if selector.n_features != "auto" else {size, *to_sizes(None, source.n_features)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        found = compare(
            [selector], {title: source}, sizes=sorted(sizes), size=size, n_jobs=-1,
            verbose=not quiet and sys.stderr.isatty(),
        )  # fmt: skip
    best = found.summary.tables[0].recommended
    if best is not None:
        click.echo(f"\n{best.sentence}")
    write_outputs(found.made_by(shlex.join(["fewest", *sys.argv[1:]])), report, None)


def _title(data: tuple[str, ...]) -> str:
    return Path(data[0]).name if len(data) == 1 else f"{len(data)} files"

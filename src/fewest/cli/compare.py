"""fewest compare: which method, which features, how many, and what error to expect."""

from __future__ import annotations

import shlex
import sys
import warnings
from pathlib import Path
from typing import Any

import click

from fewest.cli.printable import printable
from fewest.errors import FewestWarning, InvalidParameter

METHODS = "mrmr,fisher-markov,relieff,parzen-relief,svm-rfe,nonmonotonic-mkl"


@click.command()
@click.argument("data", nargs=-1, required=True)
@click.option("--target", metavar="COLUMN", help="The column that holds the class; bundled data sets know theirs.")
@click.option(
    "--methods", default=METHODS, show_default=True,
    help="Names, with parameters if need be: mrmr(criterion=quotient;n_bins=5),relieff.",
)  # fmt: skip
@click.option("--classifiers", default="svm,knn,nb,tree", show_default=True, help="Who judges the features.")
@click.option("--sizes", metavar="N,N,…", help="How many features to try; about 15 sizes up to 100 by default.")
@click.option("--outer", show_default="20", help="Random splits, or loo, 10-fold, 5x10-fold.")
@click.option(
    "--split", metavar="COLUMN", help="Split as a column says: train and test, or folds that are tested in turn."
)
@click.option(
    "--groups", metavar="COLUMN", help="Never learn from and test rows of one group, such as a patient; loo: a group."
)
@click.option("--inner", default=5, show_default=True, help="Folds that choose the size inside each split.")
@click.option("--rule", default="1se", show_default=True, help="Which size: 1se (few) or min (least error).")
@click.option("--scale", default="std", show_default=True, help="What classifiers see: std, range or none.")
@click.option("--tune", is_flag=True, help="Tune the classifiers inside each split too.")
@click.option(
    "--leak/--no-leak", default=True, show_default=True, help="Measure what selecting before splitting promises."
)
@click.option("--truth", metavar="NAME,NAME,…", help="The columns that are known to tell the classes apart.")
@click.option("--seed", default=0, show_default=True, help="Of all splits.")
@click.option("--jobs", default=-1, show_default=True, help="Trials at once; -1: one a processor. Changes no result.")
@click.option("--resume", metavar="FOLDER", help="Keep every trial there, and go on from what it holds.")
@click.option("--drop-unlabelled", is_flag=True, help="Leave out rows without a class instead of refusing them.")
@click.option("--report", metavar="FILE", help="Write one HTML page with everything.")
@click.option("--json", "json_file", metavar="FILE", help="Write everything that was found, split by split.")
@click.option("--force", is_flag=True, help="Overwrite output files that exist.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def compare(
    data: tuple[str, ...],
    target: str | None,
    methods: str,
    classifiers: str,
    sizes: str | None,
    outer: str | None,
    split: str | None,
    groups: str | None,
    inner: int,
    rule: str,
    scale: str,
    tune: bool,
    leak: bool,
    truth: str | None,
    seed: int,
    jobs: int,
    resume: str | None,
    drop_unlabelled: bool,
    report: str | None,
    json_file: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Compare methods on DATA, one or several tables (files, or names of bundled data sets such as wine), without
    leaking: what is tested was not used to select."""
    from fewest.cli.output import check_writable
    from fewest.data.scan import scan
    from fewest.evaluation.design.methods import to_methods
    from fewest.evaluation.design.split_column import SplitColumn
    from fewest.evaluation.run.comparing import compare as run

    outputs = [Path(name) for name in (report, json_file) if name]
    check_writable(outputs, force)
    if split is not None and outer is not None:
        raise InvalidParameter("--split says how rows are split, and so does --outer. Give one of them.")
    chosen = split_names(methods)
    to_methods(chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        tables = {
            _title(name, data): scan(name, target, drop_unlabelled=drop_unlabelled) for name in dict.fromkeys(data)
        }
        try:
            found = run(
                chosen,
                tables,
                classifiers=split_names(classifiers),
                sizes=None if sizes is None else _numbers(sizes),
                outer=SplitColumn(split) if split is not None else 20 if outer is None else outer,
                groups=groups,
                inner=inner,
                rule=rule,
                scale=None if scale.lower() == "none" else scale,
                tune=tune,
                leak=leak,
                truth=None if truth is None else split_names(truth),
                seed=seed,
                n_jobs=jobs,
                verbose=not quiet and sys.stderr.isatty(),
                resume=resume,
            )
        except KeyboardInterrupt:
            kept = f"what was done is kept in {resume}" if resume else "--resume FOLDER would keep what is done"
            click.echo(f"fewest: interrupted before the first split was done; {kept}.", err=True)
            sys.exit(130)
    found = found.made_by(shlex.join(["fewest", *sys.argv[1:]]))
    click.echo(printable_lines(str(found)))
    write_outputs(found, report, json_file)
    if found.stopped is not None:
        kept = f" Go on with --resume {shlex.quote(resume)}." if resume else ""
        click.echo(f"fewest: interrupted; {found.stopped}. What is above is from these.{kept}", err=True)
        sys.exit(130)


def write_outputs(found: Any, report: str | None, json_file: str | None) -> None:
    """The page and the JSON, where they are asked for."""
    from fewest.atomic_files import write_atomically

    if json_file:
        write_atomically(Path(json_file), lambda path: path.write_text(found.to_json() + "\n", "utf-8"))
        click.echo(f"comparison written to {json_file}")
    if report:
        page = found.to_html()
        write_atomically(Path(report), lambda path: path.write_text(page, "utf-8"))
        click.echo(f"report written to {report}")


def printable_lines(text: str) -> str:
    """Names of columns may hold anything; a terminal is shown what can be printed."""
    return "\n".join(printable(line) for line in text.split("\n"))


def split_names(text: str) -> list[str]:
    """Names between commas, those within brackets left whole."""
    names, depth, current = [], 0, ""
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            names.append(current)
            current = ""
        else:
            current += character
    return [name.strip() for name in [*names, current] if name.strip()]


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InvalidParameter(f"--sizes takes whole numbers between commas, got {text!r} instead.") from None


def _title(name: str, data: tuple[str, ...]) -> str:
    stems = [Path(other).stem for other in dict.fromkeys(data)]
    return Path(name).stem if stems.count(Path(name).stem) == 1 else name

"""fewest compare: which method, which features, how many, and what error to expect."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from pathlib import Path

import click

from fewest.cli.check import check_options
from fewest.cli.interrupts import stop_code, stop_word
from fewest.cli.output import Outputs, echo, printable
from fewest.cli.reading_options import ReadingOptions, probes_option, read_source, reading_options, title_of
from fewest.errors import FewestWarning, InvalidParameter
from fewest.start_up import import_scikit_learn, started_at


@click.command()
@click.argument("data", nargs=-1, required=True)
@reading_options
@probes_option
@click.option(
    "--methods",
    show_default="one of each of the five papers, relieff and svm-rfe",
    help="Names, with parameters if need be: mrmr(criterion=quotient,n_bins=5),relieff.",
)  # fmt: skip
@click.option(
    "--classifiers",
    default="svm,knn,nb,tree",
    show_default=True,
    help="Used for evaluation: also lda, rbf-svm, poly-svm, svm-ovo, discrete-nb, parzen-nb, logistic, rf, boosting; "
    "with parameters if need be: rbf-svm(strategy=ovr),lda(shrinkage=none),tree(prune=true).",
)
@click.option("--sizes", metavar="N,N,…", help="Numbers of features to try; about 15 sizes up to 100 by default.")
@click.option(
    "--outer", show_default="20, or as many as take ten minutes", help="Random splits, or loo, 10-fold, 5x10-fold."
)
@click.option(
    "--time", "time_limit", metavar="DURATION",
    help="The time that it may take, such as 90s, 2m, 1h30m: it ends with the splits that fit, and says so.",
)  # fmt: skip
@click.option(
    "--split",
    metavar="COLUMN",
    help="A column that gives the split: train and test (and select), true or 1 in a column named train or test, or "
    "folds that are tested in turn.",
)
@click.option(
    "--split-meaning", metavar="MEANING", default="auto",
    help="What the values of that column mean, where its name does not say: train or test, which true marks, or folds.",
)  # fmt: skip
@click.option("--test-share", type=float, show_default="0.25", help="The share of each class that random splits test.")
@click.option(
    "--select-rows", metavar="N|SHARE",
    help="Select on this number of the training rows of each split, and train classifiers on the others.",
)  # fmt: skip
@click.option("--groups", metavar="COLUMN", help="A column of groups, such as patients, that are never divided.")
@check_options
@click.option("--inner", default=5, show_default=True, help="Folds that choose the size inside each split.")
@click.option("--rule", default="1se", show_default=True, help="Which size: 1se (few) or min (least error).")
@click.option(
    "--metric", show_default="error; balanced-error with a small class",
    help="What drives every choice: error, balanced-error, macro-f1, roc-auc, log-loss, or a scorer of scikit-learn.",
)  # fmt: skip
@click.option("--scale", default="std", show_default=True, help="What classifiers see: std, range or none.")
@click.option("--tune", is_flag=True, help="Tune the classifiers inside each split too.")
@click.option(
    "--leak/--no-leak", default=True, show_default=True, help="Measure the optimism of selecting before splitting."
)
@click.option("--truth", metavar="NAME,NAME,…", help="The columns that are known to be relevant.")
@click.option("--seed", default=0, show_default=True, help="The seed of all splits.")
@click.option("--jobs", default=-1, show_default=True, help="Trials run in parallel; -1: one per processor.")
@click.option("--resume", metavar="FOLDER", help="Store every trial there, and continue from those stored.")
@click.option("--report", metavar="FILE", help="Write one HTML page with everything.")
@click.option("--json", "json_file", metavar="FILE", help="Write all results, split by split; - is standard output.")
@click.option("--force", is_flag=True, help="Overwrite output files that exist.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def compare(
    data: tuple[str, ...], reading: ReadingOptions, probes: int, methods: str | None, classifiers: str,
    sizes: str | None, outer: str | None, time_limit: str | None, split: str | None, split_meaning: str,
    test_share: float | None, select_rows: str | None, groups: str | None, inner: int, rule: str,
    metric: str | None, scale: str, tune: bool, leak: bool,
    truth: str | None, allow: tuple[str, ...], is_checked: bool, seed: int, jobs: int, resume: str | None,
    report: str | None, json_file: str | None, force: bool, quiet: bool,
) -> None:  # fmt: skip
    """Compare methods on DATA, one or several tables (files, or names of bundled data sets such as wine), by nested
    cross-validation: test rows are never used to select."""
    import_scikit_learn()
    from fewest.evaluation.design.compared_methods import to_methods
    from fewest.evaluation.design.split_column import SplitColumn
    from fewest.evaluation.run.comparing import compare as run
    from fewest.evaluation.run.durations import to_seconds
    from fewest.evaluation.run.jobs import check_n_jobs, to_folder
    from fewest.evaluation.run.schedule import Caller, Forecast, called_by
    from fewest.selectors.selector_parameters import literal, split_outside_brackets

    outputs = Outputs([report, json_file], force)
    if split is not None and outer is not None:
        raise InvalidParameter("--split and --outer both define the splits. Give one of them.")
    if split is None and split_meaning != "auto":
        raise InvalidParameter("--split-meaning says what the column of --split holds. Give --split COLUMN too.")
    marked = None if split is None else SplitColumn(split, split_meaning)
    chosen = None if methods is None else split_outside_brackets(methods)
    to_methods(chosen)
    _check_data_names(data)
    check_n_jobs(jobs)
    to_folder(resume)
    to_seconds("--time", time_limit)

    def say(forecast: Forecast) -> None:
        echo(f"fewest: {forecast.sentence('--methods', '--time', '--outer')}", err=True)

    # The time limit is that of the whole command.
    with warnings.catch_warnings(), called_by(Caller(started_at(), None if quiet else say)):
        warnings.simplefilter("ignore", FewestWarning)
        roles = (split, groups)
        # What the check sets aside is in the answer.
        tables = {
            _title(name, data): read_source(
                name, reading, other_roles=roles, left_out_is_said=not is_checked, probes=probes, seed=seed
            )
            for name in data
        }
        try:
            found = run(
                chosen, tables, classifiers=split_outside_brackets(classifiers),
                sizes=None if sizes is None else _numbers(sizes),
                outer=outer if marked is None else marked, test_share=test_share,
                select_rows=None if select_rows is None else literal(select_rows), groups=groups,
                check=is_checked, allow=allow,
                inner=inner, rule=rule, metric=metric, scale=None if scale.lower() == "none" else scale, tune=tune,
                leak=leak,
                truth=None if truth is None else split_outside_brackets(truth), seed=seed, n_jobs=jobs, resume=resume,
                verbose=not quiet and sys.stderr.isatty(), time_limit=time_limit,
            )  # fmt: skip
        except KeyboardInterrupt:
            trials = "completed trials"
            stored = f"{trials} are stored in {resume}" if resume else f"--resume FOLDER would store {trials}"
            echo(f"fewest: {stop_word()} before the first split was done; {stored}.", err=True)
            sys.exit(stop_code())
    found = found.made_by(shlex.join(["fewest", *sys.argv[1:]]))
    # Names of columns may hold anything.
    outputs.say("\n".join(map(printable, str(found).split("\n"))))
    if json_file:
        outputs.write(json_file, found.to_json() + "\n", "comparison")
    if report:
        outputs.write(report, found.to_html(), "report")
    if found.shortened is not None and resume:
        echo(f"fewest: more splits are added with more time and --resume {shlex.quote(resume)}.", err=True)
    if found.stopped is not None:
        again = f" Continue with --resume {shlex.quote(resume)}." if resume else ""
        echo(f"fewest: {stop_word()}; {found.stopped}. The results above are from these.{again}", err=True)
        sys.exit(stop_code())


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InvalidParameter(f"--sizes takes whole numbers between commas, got {text!r} instead.") from None


def _check_data_names(data: tuple[str, ...]) -> None:
    """Raise where one table is named twice, under one name or two."""
    known: dict[str, str] = {}
    for name in data:
        # A name that is no path stands for itself.
        place = os.path.realpath(name) if os.path.exists(name) else name
        if place in known:
            also = "" if known[place] == name else f", also as {known[place]}"
            raise InvalidParameter(f"The table {name} is named twice{also}. Name each table once.")
        known[place] = name


def _title(name: str, data: tuple[str, ...]) -> str:
    if name == "-":
        return title_of([name])
    stems = [Path(other).stem for other in data]
    return Path(name).stem if stems.count(Path(name).stem) == 1 else name

"""fewest select: from a table to chosen features."""

from __future__ import annotations

import math
import shlex
import shutil
import sys
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.check import check_options, check_source
from fewest.cli.constraint_options import constraint_options
from fewest.cli.engines import engine_options, opened
from fewest.cli.output import Outputs, echo, printable
from fewest.cli.reading_options import ReadingOptions, probes_option, read_source, reading_options, title_of
from fewest.display.formatting import count, number, numbers, seconds
from fewest.errors import FewestWarning, InvalidParameter, LongFitWarning
from fewest.start_up import import_scikit_learn

if TYPE_CHECKING:
    from fewest.arrays import Floats
    from fewest.data.source import Source
    from fewest.selection import Provenance, Selection
    from fewest.selectors.selector import Selector

# Features and steps of beta that are listed; characters of a full bar.
_SHOWN, _STEPS_SHOWN, _BAR = 30, 10, 20
_EIGHTHS = " ▏▎▍▌▋▊▉"
# Significant digits of scores, and the ratio of two from which on the same decimals would hide the smaller one.
_DIGITS, _SPREAD = 4, 1000.0
# The number of features that a test decides, and the method that tests where none is named: one pass, any data.
_TESTED, _TESTED_BY = "fdr", "fisher-score"


@click.command()
@click.argument("data", nargs=-1, required=True)
@reading_options
@probes_option
@click.option("--method", default="auto", show_default=True, help="How to choose: see `fewest methods`.")
@click.option("--features", metavar="N|SHARE|auto|fdr", help="How many; auto, the default, cross-validates; fdr tests.")
@click.option("--level", metavar="RATE", help="The false discovery rate under --features fdr; 0.05 by default.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter of the method; repeatable.")
@click.option("--sample", metavar="N", help="Select on N rows, drawn of every class in proportion.")
@click.option("--metric", help="What chooses the size: error, balanced-error, macro-f1, roc-auc, log-loss, a scorer.")
@click.option("--groups", metavar="COLUMN", help="A column of groups, such as patients, which folds never divide.")
@click.option("--weight", metavar="COLUMN", help="A column of row weights, where 2 is the row twice.")
@constraint_options
@engine_options
@check_options
@click.option("-o", "--output", metavar="FILE", help="Write chosen columns and class (.csv, .tsv, .parquet, .arrow).")
@click.option("--json", "json_file", metavar="FILE", help="Write the selection and its evidence; - is standard output.")
@click.option("--report", metavar="FILE", help="Evaluate by nested cross-validation, and write one HTML page.")
@click.option("--force", is_flag=True, help="Overwrite output files that exist.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def select(
    data: tuple[str, ...], reading: ReadingOptions, probes: int, method: str, features: str | None,
    level: str | None, settings: tuple[str, ...], sample: str | None, metric: str | None, groups: str | None,
    weight: str | None, constraints: dict[str, object], engine: str | None, address: str | None, master: str | None,
    allow: tuple[str, ...], is_checked: bool, output: str | None, json_file: str | None, report: str | None,
    force: bool, quiet: bool,
) -> None:  # fmt: skip
    """Choose features of DATA: CSV, TSV or other text (also .gz), Excel, Parquet, Arrow, .npz, .h5ad, .mat, svmlight, a
    folder or glob of Parquet files, - for standard input, or the name of a bundled data set such as wine."""
    import_scikit_learn()
    from fewest.atomic_files import write_atomically
    from fewest.checks.checking import names_of
    from fewest.cli.export import check_format, export, formula_note
    from fewest.evaluation.design.labelled_tables import take_column
    from fewest.selectors.registry import method_by_name
    from fewest.selectors.selector_parameters import literal, parameters_of

    if features == _TESTED and method == "auto":
        method = _TESTED_BY
        echo(f"note: --features fdr tests each column on its own, here by {method}; --method names another", err=True)
    kind = method_by_name(method)
    parameters = parameters_of(kind, settings if sample is None else (*settings, f"sample={sample}"))
    if features is not None or not ("n_features" in parameters or parameters.get("beta") is not None):
        parameters["n_features"] = "auto" if features is None else literal(features)
    if level is not None:
        parameters["level"] = literal(level)
    if metric is not None:
        parameters["scoring"] = metric
    parameters |= constraints
    outputs = Outputs([output, json_file, report], force)
    if output:
        check_format(Path(output))

    selector = kind(**{"verbose": not quiet and sys.stderr.isatty(), **parameters})
    selector._checked_sentence()
    if engine is not None and report is not None:
        raise InvalidParameter("--report evaluates rows in memory. Leave out --engine, or the report.")
    heard: list[str] = []

    def hear(message: Warning | str, *_: object, **__: object) -> None:
        if isinstance(message, LongFitWarning):
            # Before the minutes that it is about; all others after the answer.
            echo(f"note: {message}", err=True)
        else:
            heard.append(str(message))

    with ExitStack() as stack:
        frame = stack.enter_context(opened(data, engine, address, master))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", FewestWarning)
            warnings.showwarning = hear
            given = read_source(
                frame, reading, weight=weight, other_roles=[groups], probes=probes,
                left_out_is_said=not is_checked,  # else the check says which columns of dates are set aside
            )  # fmt: skip
            rows, of_rows = (given, None) if groups is None else take_column(given, groups, "groups", title_of(data))
            # What must be in the answer is not set aside.
            allow = (*allow, *_kept_names(selector, names_of(rows)))
            source = check_source(rows, allow, is_checked, reading.target)
            selector.fit(source, groups=of_rows)
        outputs.say(_describe(selector.selection_, title_of(data), getattr(selector, "q_values_", None)))
        if probes:
            outputs.say(_probes_line(selector.selection_, given, probes))
        notes = selector.notes_
        for message in dict.fromkeys(heard):
            if message not in notes:
                echo(f"note: {printable(message)}", err=True)
        if json_file:
            selection = selector.selection_
            if source.n_features < given.n_features:
                # Some columns were set aside: a column has the index that it has in the file.
                names = names_of(given)
                position = {name: index for index, name in enumerate(names)}
                columns = [position[name] for name in names_of(source)]
                selection = selection.among_all(columns, given.n_features, names)
            outputs.write(json_file, selection.to_json() + "\n", "selection")
        if output:
            write_atomically(
                Path(output), lambda path: export(source, selector.selection_, path, reading.target or "target")
            )
            outputs.say(f"chosen columns written to {output}")
            if note := formula_note(selector.selection_.features, Path(output)):
                echo(f"note: {printable(note)}", err=True)
        if report:
            n_columns = source.n_features
            _report(selector, given, title_of(data), report, outputs, quiet, n_columns, is_checked, allow, groups)


def _kept_names(selector: Selector, names: Sequence[str]) -> list[str]:
    """The names of the columns that are to be kept."""
    from fewest.constraints.column_patterns import NamedColumns

    kept = [] if selector.keep is None else NamedColumns(names).find("keep", selector.keep)
    return [names[column] for column in kept]


def _selected_size(selection: Selection) -> int:
    """The number of features, where groups of columns count as one."""
    chosen = set(selection.indices)
    return next((size for size, subset in selection.path.items() if set(subset) == chosen), max(1, len(selection)))


def _probes_line(selection: Selection, source: Source, n_probes: int) -> str:
    """How many of the probes, which are the last columns of the source, are among the chosen features."""
    names = set((source.feature_names or ())[-n_probes:])
    chosen = [name for name in selection.features if name in names]
    which = f": {', '.join(chosen[:5])}{', …' if len(chosen) > 5 else ''}" if chosen else ""
    return f"{count(len(chosen))} of {count(n_probes)} probes are among the {count(len(selection))} features{which}"


def _report(
    selector: Selector, source: Source, title: str, report: str, outputs: Outputs, quiet: bool, n_columns: int,
    is_checked: bool, allow: tuple[str, ...], groups: str | None,
) -> None:  # fmt: skip
    """Evaluate this method alone, or those that it chooses from, and write the page."""
    from fewest.evaluation.design.compared_methods import to_sizes
    from fewest.evaluation.run.comparing import compare

    size = _selected_size(selector.selection_)
    # The size that was selected is evaluated; with auto, others are drawn beside it.
    sizes = {size} if selector.n_features != "auto" else {size, *to_sizes(None, n_columns)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        found = compare(
            selector._compared(), {title: source}, sizes=sorted(sizes), size=size, metric=selector.scoring,
            groups=groups, n_jobs=-1, check=is_checked, allow=allow, verbose=not quiet and sys.stderr.isatty(),
        )  # fmt: skip
    best = found.summary.tables[0].recommended
    if best is not None:
        outputs.say(f"\n{best.sentence}")
    outputs.write(report, found.made_by(shlex.join(["fewest", *sys.argv[1:]])).to_html(), "report")


def _describe(selection: Selection, title: str, q_values: Floats | None) -> str:
    """Describe a selection: the sentence, the features with bars, the certificate, the notes.

    q_values : the adjusted p-value of each column, where columns were tested
    """
    provenance = selection.provenance
    assert provenance is not None
    kept = f"{count(len(selection))} of {count(provenance.n_columns)} features ({seconds(provenance.seconds)})"
    lines = [_data_line(printable(title), provenance), f"{provenance.method} keeps {kept}", ""]
    lines += _rows(selection, q_values) + _path(selection)
    certificate = selection.certificate
    lines += ["", str(certificate), *([certificate.numbers] if certificate.numbers else [])]
    lines += [f"note: {note}" for note in provenance.notes]
    return "\n".join(lines)


def _data_line(title: str, provenance: Provenance) -> str:
    counts = list(provenance.class_counts.values())
    shown = "/".join(map(str, counts)) if len(counts) <= 10 else f"{min(counts)} to {max(counts)} rows each"
    size = f"{count(provenance.n_rows)} rows, {count(provenance.n_columns)} features"
    return f"{title}: {size}, {len(counts)} classes ({shown})"


def _rows(selection: Selection, q_values: Floats | None) -> list[str]:
    if not selection.indices:
        return ["  none"]
    room = max(12, shutil.get_terminal_size().columns - _BAR - 22)
    names = [_short(name, room) for name in selection.features[:_SHOWN]]
    width = max(len("feature"), *map(len, names))
    largest = max([score for score in selection.scores if not math.isnan(score)], default=0.0)
    texts = _score_texts(selection.scores[:_SHOWN])
    tested = [""] * len(names)
    if q_values is not None:
        tested = [f"  {q_values[column]:>10.3g}" for column in selection.indices[:_SHOWN]]
    rows = [f"{'#':>5}  {'feature':<{width}}  {'score':>9}{'' if q_values is None else '  adjusted p'}"]
    for rank, (name, text, score, p) in enumerate(zip(names, texts, selection.scores, tested, strict=False), start=1):
        rows.append(f"{rank:>5}  {name:<{width}}  {text:>9}{p}  {_bar(score, largest)}".rstrip())
    if len(selection) > _SHOWN:
        rows.append(f"       … and {len(selection) - _SHOWN:,} more (--json writes them all)")
    return rows


def _score_texts(scores: Sequence[float]) -> list[str]:
    """Write scores with the same decimals, or where these would hide small ones, each with its own."""
    sizes = [abs(score) for score in scores if math.isfinite(score) and score]
    together = not sizes or max(sizes) < _SPREAD * min(sizes)
    texts = numbers(scores, _DIGITS) if together else [number(score, _DIGITS) for score in scores]
    return ["inf" if score == math.inf else text for score, text in zip(scores, texts, strict=True)]


def _path(selection: Selection) -> list[str]:
    """List beta against the best number of features: the ends, the steps around this one, some between."""
    steps = selection.breakpoints
    if not steps:
        return []
    here = sum(size <= len(selection) for _, size in steps) - 1
    # Further and further apart away from the chosen one.
    shown = {0, len(steps) - 1, here, here + 1}
    distance = 1
    while len(shown) < _STEPS_SHOWN and distance <= len(steps):
        shown |= {here - distance, here + 1 + distance}
        distance *= 2
    rows = ["", "as beta falls, the best subset grows:", f"{'beta':>11}  features"]
    last = -1
    for i in sorted(i for i in shown if 0 <= i < len(steps)):
        if i > last + 1:
            rows.append(f"{'…':>11}")
        beta, size = steps[i]
        rows.append(f"{beta:>11.4g}  {size:>8,}" + ("  ◀ chosen" if size == len(selection) else ""))
        last = i
    return rows


def _short(name: str, room: int) -> str:
    shown = printable(name)
    return shown if len(shown) <= room else shown[: room - 1] + "…"


def _bar(score: float, largest: float) -> str:
    """Draw a bar in eighths of a character, full at the largest score."""
    if math.isnan(score) or score <= 0 or largest <= 0:
        return ""
    eighths = round(8 * _BAR * (score / largest)) if math.isfinite(score) else 8 * _BAR
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()

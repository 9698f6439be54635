"""Run the items of papers: measure, store what was measured, compute the verdict."""

from __future__ import annotations

import atexit
import hashlib
import json
import time
import warnings
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sklearn.base import BaseEstimator

from fewest.atomic_files import write_atomically
from fewest.errors import FewestWarning, InvalidInput
from fewest.papers.declarations import Experiment, Item, Paper, Run
from fewest.papers.experiments.known_tables import KNOWN_TABLES
from fewest.papers.numbers import Measured
from fewest.papers.reports import ItemReport
from fewest.papers.verdicts import verdict_of


def run_item(paper: Paper, item: Item, run: Run, folder: Path | None = None) -> ItemReport:
    """The report of an item, from measurements that the folder holds, or from new ones, which are stored there.

    Experiments whose tables are not there are left out, as long as there are others. Stored measurements are used where
    the experiments were declared alike, and the run was as long and had the same seed: verdicts are computed anew.
    """
    there = runnable(item, run)
    stored = None if folder is None else _read(folder, paper, item, run)
    # More may be run than was, where more tables are there.
    if stored is not None and stored.get("n_experiments", len(there)) >= len(there):
        return _report(paper, item, run, stored)
    if not there:
        raise InvalidInput(absence(item, run))
    trials = (_folder_of_this_process() if folder is None else folder) / "trials"
    trials.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    with warnings.catch_warnings():
        # Ties, short columns and slow fits are part of the papers' settings.
        warnings.simplefilter("ignore", FewestWarning)
        measured = Measured.merged([one.run(replace(run, trials=trials)) for one in there])
    left_out = [name for one in item.experiments if one not in there for name in one.tables]
    if left_out:
        note = f"Not run, for want of --data: {', '.join(dict.fromkeys(left_out))}."
        measured = replace(measured, notes=(*measured.notes, note))
    content = {
        "declared": digest_of(item), "seed": run.seed, "n_experiments": len(there),
        "seconds": time.perf_counter() - started,
        "version": f"fewest {version('fewest')}", **measured.to_dict(),
    }  # fmt: skip
    if folder is not None:
        text = json.dumps(content, ensure_ascii=False) + "\n"
        write_atomically(_path(folder, paper, item, run.quick), lambda path: path.write_text(text, "utf-8"))
    return _report(paper, item, run, content)


def longest_stored(folder: Path, paper: Paper, item: Item, run: Run) -> ItemReport | None:
    """The report of the full run that a folder holds, or of the quick one; None where there is neither."""
    for is_quick in (False, True):
        own = replace(run, quick=is_quick)
        stored = _read(folder, paper, item, own)
        if stored is not None:
            return _report(paper, item, own, stored)
    return None


def digest_of(item: Item) -> str:
    """A hash of what is measured: other experiments need another run."""
    return hashlib.sha256(_described(item.experiments).encode()).hexdigest()[:16]


def _described(value: object) -> str:
    """A declaration as text without what is left at its default, so that a new parameter changes no text."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_described(one)}" for key, one in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_described, value)) + ")"
    # Selectors are described by scikit-learn, in the same way.
    if not is_dataclass(value) or isinstance(value, BaseEstimator):
        return repr(value)
    given = {one.name: getattr(value, one.name) for one in fields(value)}
    defaults = {one.name: one.default for one in fields(value)}
    changed = [f"{name}={_described(one)}" for name, one in given.items() if one != defaults[name]]
    return f"{type(value).__name__}({', '.join(changed)})"


def runnable(item: Item, run: Run) -> list[Experiment]:
    """The experiments whose tables are there."""
    return [one for one in item.experiments if all(KNOWN_TABLES[name].is_there(run.data) for name in one.tables)]


def absence(item: Item, run: Run) -> str:
    """What to say where no experiment can be run: which table is missing, and where it can be had."""
    missing = (KNOWN_TABLES[name] for name in item.tables)
    return next(table.absence(run.data) for table in missing if not table.is_there(run.data))


def _report(paper: Paper, item: Item, run: Run, content: Mapping[str, Any]) -> ItemReport:
    measured = Measured.from_dict(content)
    verdict = verdict_of(item.numbers, item.claims, measured, item.controls, is_quick=run.quick)
    return ItemReport.of(paper, item, measured, verdict, run, content["seconds"], content["version"])


def _read(folder: Path, paper: Paper, item: Item, run: Run) -> dict[str, Any] | None:
    """Stored measurements; None where there are none, or of other experiments or another seed."""
    path = _path(folder, paper, item, run.quick)
    if not path.is_file():
        return None
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        Measured.from_dict(content)
        known = (content["declared"], content["seed"], content["seconds"], content["version"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} holds no measurements of an item, or is damaged ({error!r}). Remove it.") from None
    return content if known[:2] == (digest_of(item), run.seed) else None


@cache
def _folder_of_this_process() -> Path:
    """A folder that is gone afterwards: items of one command share trials also where nothing is stored."""
    folder = TemporaryDirectory(prefix="fewest-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _path(folder: Path, paper: Paper, item: Item, is_quick: bool) -> Path:
    extent = "quick" if is_quick else "full"
    return folder / f"{paper.name}-{item.name.lower()}-{extent}.json"

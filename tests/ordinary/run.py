"""Ordinary tables over many seeds, with the commands' own defaults: are the drivers found, and nothing else?

    python tests/ordinary/run.py --results FILE                  all tables, 20 seeds; runs what is not in FILE yet
    python tests/ordinary/run.py --results FILE --seeds 7-19 --tables genes,fraud --commands select,leak
    python tests/ordinary/run.py --results FILE --seeds ""       counts what is in FILE

compare takes 5 splits. For each table and command: columns that must never be recommended (identifiers, counters,
constants, groups), true drivers among the features at the true size, tables called noise, planted leaks flagged. Exits
with 1 where one of these does not hold. A run of all takes two hours of processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[2]))
    __package__ = "tests.ordinary"

from tests.ordinary.cases import COMMANDS, case_of
from tests.ordinary.tables import TABLES

#: At least this share of what is recommended at the true size are true drivers, over the seeds of a table.
PRECISION = 0.8
#: At least this share of the tables of noise are called noise.
CALLED_NOISE = 0.95
#: Where a leak is to be flagged.
PLACES = {"check_data", "select", "compare", "page"}
OPTIONS = {"compare": ("--outer", "5")}


def read(results: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in results.read_text("utf-8").splitlines()] if results.exists() else []


def run_all(results: Path, tables: Iterable[str], seeds: Iterable[int], commands: Iterable[str]) -> None:
    """Run what is not in the file, seed by seed, and append a line to it for each."""
    done = {(one["table"], one["seed"], one["command"]) for one in read(results)}
    with results.open("a", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            for command in commands:
                for name in tables:
                    if (name, seed, command) not in done:
                        found = case_of(command, TABLES[name](seed), Path(folder), *OPTIONS.get(command, ()))
                        print(json.dumps(found), file=file, flush=True)


def failures(cases: list[Mapping[str, Any]]) -> Iterator[str]:
    """What does not hold of these cases, all of one table and one command."""
    for one in cases:
        where = f"{one['command']} of {one['table']}, seed {one['seed']}, as {one['form']}"
        if one.get("never"):
            yield f"{where}: recommends {', '.join(one['never'])}"
        if "flagged" in one and (set(one["flagged"]) != PLACES or one["flagged_beside"]):
            yield f"{where}: the leak is flagged by {one['flagged']}, and beside it {one['flagged_beside']}"
    n_right, n_taken = (sum(one.get(key, 0) for one in cases) for key in ("n_right", "n_taken"))
    if n_right < PRECISION * n_taken:
        yield f"{cases[0]['command']} of {cases[0]['table']}: {n_right} of {n_taken} are drivers"
    calls = [one["noise"] for one in cases if one["table"] == "noise" and "noise" in one]
    if sum(calls) < CALLED_NOISE * len(calls):
        yield f"{cases[0]['command']}: {sum(calls)} of {len(calls)} tables of noise are called noise"


def summarise(cases: list[dict[str, Any]]) -> list[str]:
    """Print a line for each table and command, and return what does not hold."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in cases:
        found.setdefault((one["command"], one["table"]), []).append(one)
    wrong = []
    for (command, name), own in sorted(found.items()):
        n_right, n_taken = (sum(one.get(key, 0) for one in own) for key in ("n_right", "n_taken"))
        parts = [f"{len(own)} seeds"]
        parts += [f"{n_right} of {n_taken} are drivers"] if n_taken else []
        parts += [f"{sum(one['noise'] for one in own)} called noise"] if "noise" in own[0] else []
        parts += [f"{sum(set(one['flagged']) == PLACES for one in own)} flagged"] if "flagged" in own[0] else []
        parts += [f"{sum(bool(one['never']) for one in own)} with what never should be"] if "never" in own[0] else []
        print(f"{command:8} {name:10} {', '.join(parts)}; {sum(one['seconds'] for one in own):.0f} s")
        wrong += failures(own)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, help="a file of a JSON object a line")
    parser.add_argument("--seeds", default="0-19", help="the first and the last")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--commands", default=",".join(COMMANDS))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.seeds:
        first, _, last = asked.seeds.partition("-")
        seeds = range(int(first), int(last or first) + 1)
        run_all(asked.results, asked.tables.split(","), seeds, asked.commands.split(","))
    wrong = summarise(read(asked.results))
    print("\n".join(wrong or ["all as it should be"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

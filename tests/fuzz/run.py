"""Fuzz fewest: nasty arrays and parameters, damaged files, damaged stored results, each in a process that may die.

    python tests/fuzz/run.py --minutes 30             all kinds, from seed 0 on
    python tests/fuzz/run.py api --cases 500 --seed 7 one kind, 500 cases
    python tests/fuzz/run.py api --seed 7 --only 123  one case, with its traceback

Prints the number of cases by outcome, and every finding with what runs it again. Exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
if __package__ in (None, ""):
    sys.path.insert(0, str(ROOT))
    __package__ = "tests.fuzz"

from tests.fuzz.cases import KINDS, make_case  # noqa: E402

#: A case that takes longer, in seconds of the processor, hangs; and one that takes so much longer without using it.
PATIENCE = 20.0
PATIENCE_WHILE_IDLE = 6 * PATIENCE
#: From a busy disk Python and the libraries may be slow to come.
PATIENCE_WITH_IMPORTS = 300.0
#: Cases that one process runs before the next takes over.
BATCH = 200


@dataclass
class Report:
    """Outcomes of the cases that were run."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def add(self, kind: str, seed: int, number: int, name: str, found: str) -> None:
        """Count one outcome; what is neither an answer nor a refusal is a finding."""
        word = found.partition(":")[0]
        self.counts[f"{kind}: {word}"] += 1
        if word not in ("answer", "refused"):
            self.findings.append(f"{kind} --seed {seed} --only {number}: {found[:300]} [{name[:200]}]")


def run_cases(kind: str, seed: int, first: int, last: int, report: Report, deadline: float = float("inf")) -> int:
    """Run cases from first on until last or the deadline, and return the number after the last one run."""
    number = first
    while number < last and time.monotonic() < deadline:
        number = _run_batch(kind, seed, number, min(last, number + BATCH), report, deadline)
    return number


def _run_batch(kind: str, seed: int, first: int, last: int, report: Report, deadline: float) -> int:
    """Run cases in one process until it ends, dies or hangs; return the number to go on with."""
    arguments = [sys.executable, "-m", "tests.fuzz.worker", kind, str(seed), str(first), str(last)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    number, name, started, used = first, "imports", time.monotonic(), 0.0
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, env=environment
        ) as process,
    ):
        assert process.stdout is not None
        pending = b""
        while True:
            patience = PATIENCE if name != "imports" else PATIENCE_WITH_IMPORTS
            ready, _, _ = select.select([process.stdout], [], [], patience)
            if not ready and time.monotonic() - started < PATIENCE_WHILE_IDLE and _busy(process) - used < patience:
                continue  # the machine has other work
            if not ready:
                process.kill()
                report.add(kind, seed, number, name, f"hang: no answer in {patience:g} s")
                return number + 1
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                break
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                message = json.loads(line)
                number, started, used = message["number"], time.monotonic(), _busy(process)
                if "name" in message:
                    name = message["name"]
                else:
                    report.add(kind, seed, number, name, message["outcome"])
                    number += 1
            if time.monotonic() > deadline:
                process.kill()
                return number
        if process.wait() == 0:
            return last
        errors.seek(0)
        said = errors.read().strip().splitlines() or [""]
        report.add(kind, seed, number, name, f"crash: exit {process.returncode}: {said[0]} … {said[-1]}")
        return number + 1


def _busy(process: subprocess.Popen[bytes]) -> float:
    """Return the processor seconds of a process and those of its children that have ended; 0 where nothing says it."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0 if Path("/proc").exists() else float("inf")
    return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--minutes", type=float, default=None)
    parser.add_argument("--cases", type=int, default=None, help="the number of cases of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, default=None, help="run this case alone, here")
    asked = parser.parse_args()
    kinds = asked.kinds or list(KINDS)
    if asked.only is not None:
        case = make_case(kinds[0], asked.seed, asked.only)
        print(case.name)
        with tempfile.TemporaryDirectory() as folder:
            print(list(case.run(Path(folder))))
        return 0
    report = Report()
    deadline = time.monotonic() + 60 * (asked.minutes or (1.0 if asked.cases is None else 1e6))
    limit = asked.cases if asked.cases is not None else sys.maxsize
    numbers = dict.fromkeys(kinds, 0)
    while time.monotonic() < deadline and min(numbers.values()) < limit:
        for kind in kinds:
            last = min(limit, numbers[kind] + BATCH)
            numbers[kind] = run_cases(kind, asked.seed, numbers[kind], last, report, deadline)
    for name, count in sorted(report.counts.items()):
        print(f"{count:8,} {name}")
    for finding in report.findings:
        print(finding)
    print(f"seed {asked.seed}: {sum(report.counts.values()):,} cases, {len(report.findings)} findings")
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs cases one after the other in a process of its own, and prints what came of each as lines of JSON."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import sys
import tempfile
from pathlib import Path

from .cases import make_case, outcome

#: A worker may take this much address space beyond what it has after imports.
MEMORY = 6 << 30


def main(kind: str, seed: int, first: int, last: int) -> None:
    """Run the cases from first to last, without last."""
    faulthandler.enable()
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # the sanitizer reserves terabytes that it never uses
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = Path(tempfile.mkdtemp(prefix="fewest-fuzz-"))
    try:
        for number in range(first, last):
            case = make_case(kind, seed, number)
            _say({"number": number, "name": case.name})
            place = folder / str(number)
            place.mkdir()
            _say({"number": number, "outcome": outcome(case, place)})
            shutil.rmtree(place, ignore_errors=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _say(message: dict[str, object]) -> None:
    sys.__stdout__.write(json.dumps(message) + "\n")
    sys.__stdout__.flush()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))

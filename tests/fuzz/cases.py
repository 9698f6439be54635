"""What a fuzzer tries, and what came of it.

A module of cases has a function `case(seed, number)` that makes the same case every time: a name that describes it, and
a function that runs it in an empty folder. It returns the numbers of the answer, which must be finite, or raises a
FewestError, which is a refusal in words. Any other exception, an error that asks for a report, a number that is not
finite, a process that dies, a hang are findings.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from fewest import FewestError
from fewest.errors import UnexpectedError

#: The modules of cases, by name.
KINDS = {"api": "api_cases", "files": "file_cases", "stored": "stored_cases"}


@dataclass(frozen=True)
class Case:
    """One thing to try: run(folder) returns numbers that must be finite, or raises FewestError."""

    name: str
    run: Callable[[Path], Iterable[float | None]]


def make_case(kind: str, seed: int, number: int) -> Case:
    """Return a case of this kind: the same one for the same numbers."""
    found: Case = import_module(f"{__package__}.{KINDS[kind]}").case(seed, number)
    return found


def outcome(case: Case, folder: Path) -> str:
    """Run the case: "answer", "refused: …", "not finite: …" or "raw error: …"."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            numbers = list(case.run(folder))
    except FewestError as error:
        # A public function wraps what it does not expect, and calls it a bug.
        is_bug = isinstance(error, UnexpectedError) and "report it" in str(error)
        return f"{'raw error' if is_bug else 'refused'}: {error}"
    except MemoryError as error:
        return f"raw error: MemoryError: {error}"
    except Exception as error:
        return f"raw error: {type(error).__name__}: {error}"
    wrong = [number for number in numbers if number is not None and not math.isfinite(number)]
    return f"not finite: {wrong[:3]}" if wrong else "answer"

"""Validate the docstrings of all public names with numpydoc; print what fails, and exit with 1 if anything does."""

from __future__ import annotations

import sys

from numpydoc.validate import validate

import fewest
from fewest import criteria, searches

#: numpydoc's checks; GL07 is the order of the sections.
CHECKS = {"GL03", "GL06", "GL07", "GL08", "SS02", "SS03", "SS04", "RT05", "SA01", "SA02", "SA03", "SA04"}
CHECKS |= {f"PR{number:02}" for number in range(1, 11)}


def main() -> int:
    """Return 1 if any public name fails a check."""
    n_failed = 0
    for module in (fewest, criteria, searches):
        for name in module.__all__:
            errors = validate(f"{module.__name__}.{name}")["errors"]
            failed = [f"{code} {message}" for code, message in errors if code in CHECKS]
            n_failed += bool(failed)
            for failure in failed:
                print(f"{module.__name__}.{name}: {failure}")
    print(f"{n_failed} public name(s) with docstrings that numpydoc rejects")
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())

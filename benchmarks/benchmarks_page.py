"""docs/benchmarks.md: what is measured, and the ratios that were stored, from docs/benchmarks.json.

python benchmarks/benchmarks_page.py    writes the page again without measuring anything
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
DOCS = FOLDER.parent / "docs"
STORED, PAGE = DOCS / "benchmarks.json", DOCS / "benchmarks.md"
HEAD = """# Benchmarks

Speed is measured as a ratio, in one run and in turns, so that a busy moment hits both sides: ours against one read of
the same data, which nothing can beat, or against the same computation in another package. A target is stated beside
each ratio; a run that misses one ends with exit code 1.

    python benchmarks/run.py                  # all of them
    python benchmarks/run.py mrmr relief      # those named
    python benchmarks/run.py mrmr --store     # also stores the ratios, and writes this page

Some peers are compared only where they are installed. Absolute times depend on the machine, ratios less so: store them
on a machine that does nothing else. Besides there are [what every method costs](scaling.md) against rows, columns and
classes, and [the evidence for the default method](methods/auto.md#evidence), errors on 50 data sets.
"""


def store(rows_by_name: dict[str, list[dict[str, object]]]) -> None:
    """Store the rows of the benchmarks that were run, keep those of the others, and write the page."""
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    text = json.dumps(stored | rows_by_name, indent=1, ensure_ascii=False, sort_keys=True)
    STORED.write_text(text + "\n", "utf-8")
    PAGE.write_text(page(), "utf-8")


def entry(row: object) -> dict[str, object]:
    """What is stored of a row."""
    names = ("what", "ours", "theirs", "against", "unit", "ratio", "limit", "is_upper", "is_met")
    found = {name: getattr(row, name) for name in names} | {"is_met": bool(row.is_met)}
    return {name: float(f"{value:.3g}") if isinstance(value, float) else value for name, value in found.items()}


def page() -> str:
    """Return the page: each benchmark by the first line of its docstring, with its ratios where they are stored."""
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    parts = [HEAD]
    for name in _names():
        words = (ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text("utf-8"))) or "").splitlines()[0]
        parts.append(f"## {name}\n\n{words.replace('*', chr(92) + '*')}\n")
        if name in stored:
            parts.append("| | ours | theirs | against | ratio | target |\n|---|---:|---:|---|---:|---|")
            parts[-1] += "".join("\n" + _line(row) for row in stored[name]) + "\n"
    return "\n".join(parts)


def _names() -> tuple[str, ...]:
    """The names that run.py lists, without importing it."""
    for node in ast.parse((FOLDER / "run.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "NAMES":
            return tuple(ast.literal_eval(node.value))
    raise LookupError("benchmarks/run.py has no NAMES")


def _line(row: dict[str, object]) -> str:
    word, sense = ("×", "at most") if row["is_upper"] else ("× faster", "at least")
    missed = "" if row["is_met"] else ", missed"
    cells = (
        row["what"],
        f"{row['ours']:g} {row['unit']}",
        f"{row['theirs']:g} {row['unit']}",
        row["against"],
        f"{row['ratio']:.2f} {word}",
        f"{sense} {row['limit']:g}{missed}",
    )
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    sys.exit(0)

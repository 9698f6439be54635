"""Draws docs/select.svg: what `fewest select breast-cancer` prints, as a picture that needs no font of the reader's.

python docs/figures/terminal.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parents[1]
COMMAND = "fewest select breast-cancer"
LABEL = f"A terminal: {COMMAND}, the features it keeps with their scores as bars, and their error"
STYLE = (
    'text{font:15px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6e6e6}'
    ".p{fill:#9fd49f}.h{fill:#9aa4ad}rect{fill:#56b4e9}.bg{fill:#1b1f24}"
)
N_COLUMNS, LINE = 84, 22


def printed():
    """What the command prints."""
    program = [sys.executable, "-m", *COMMAND.split()]
    return subprocess.run(program, capture_output=True, encoding="utf-8", check=True).stdout


def lines_of(text):
    """The elements of each line, with their height in place of Y; long lines go on below, indented."""
    largest = max(float(score) for score in re.findall(r"^ +\d+  .+ +([\d.]+)  █", text, re.MULTILINE))
    yield f'<text x="20" y="Y" class="p">$ {COMMAND}</text>'
    for line in text.splitlines():
        row = re.fullmatch(r" +(#|\d+)  (.+?) +(score|[\d.]+)(  [█-▏]+)?", line)
        if row:
            kind = ' class="h"' if row[1] == "#" else ""
            bar = (
                f'<rect x="362" y="BAR" width="{300 * float(row[3]) / largest:.1f}" height="14" rx="1"/>'
                if row[4]
                else ""
            )
            yield "\n".join(
                [
                    f'<text x="60" y="Y"{kind} text-anchor="end">{row[1]}</text>',
                    f'<text x="76" y="Y"{kind}>{row[2]}</text>',
                    f'<text x="345" y="Y"{kind} text-anchor="end">{row[3]}</text>',
                    *([bar] if bar else []),
                ]
            )
        else:
            for number, part in enumerate(textwrap.wrap(line, N_COLUMNS, drop_whitespace=True) or [""]):
                yield f'<text x="{36 if number else 20}" y="Y">{escape(part)}</text>' if part else ""


def pictures():
    """The text of each picture, by its name."""
    body = []
    y = 34
    for element in lines_of(printed()):
        body += [element.replace("Y", str(y)).replace("BAR", str(y - 12))] if element else []
        y += LINE
    height = y + 4
    return {
        "select.svg": "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {height}" role="img" aria-label="{LABEL}">',
                f"<style>{STYLE}</style>",
                f'<rect class="bg" width="800" height="{height}" rx="8"/>',
                *body,
                "</svg>",
                "",
            ]
        )
    }


if __name__ == "__main__":
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, "utf-8")

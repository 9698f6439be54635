"""How results are shown in a Python session: as frames, and in notebooks as tables with bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

#: A bar, visible on light and on dark paper.
_BAR = "display:inline-block;height:0.6em;background:#3f9ddb;vertical-align:baseline"
_LEFT, _RIGHT = "text-align:left", "text-align:right;font-variant-numeric:tabular-nums"


def to_frame(columns: Mapping[str, Sequence[object]]) -> Any:
    """Return a pandas frame of columns; a polars frame where pandas is not installed."""
    try:
        frames = import_module("pandas")
    except ImportError:
        frames = import_module("polars")
    return frames.DataFrame({name: list(values) for name, values in columns.items()})


def safe_text(text: str) -> str:
    """Escape a text for HTML; characters that no page can hold are replaced."""
    shown = "".join(one if one.isprintable() or one == " " else "\N{REPLACEMENT CHARACTER}" for one in text)
    return escape(shown, quote=True)


def scored_table(names: Sequence[str], scores: Sequence[float], limit: int = 30) -> str:
    """Return an HTML table of names with their scores as bars; the names after the limit are counted.

    It has no style sheet and no script, and takes the colours of the page around it.
    """
    largest = max((score for score in scores[:limit] if math.isfinite(score)), default=0.0)
    has_scores = any(not math.isnan(score) for score in scores)
    rows = []
    for rank, (name, score) in enumerate(zip(names[:limit], scores, strict=False), start=1):
        cells = [f'<td style="{_RIGHT}">{rank}</td><td style="{_LEFT}"><bdi>{safe_text(name)}</bdi></td>']
        if has_scores:
            share = 0.0 if math.isnan(score) or largest <= 0 else min(max(score / largest, 0.0), 1.0)
            bar = f'<span style="{_BAR};width:{8 * (1.0 if score == math.inf else share):.2f}em"></span>'
            shown = "–" if math.isnan(score) else f"{score:.4g}"
            cells.append(f'<td style="{_RIGHT}">{shown}</td><td style="{_LEFT}" aria-hidden="true">{bar}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    heads = ["#", "feature", *(["score", ""] if has_scores else [])]
    head = "".join(
        f'<th style="{_RIGHT if title in ("#", "score") else _LEFT}">{title}</th>' if title else "<td></td>"
        for title in heads
    )
    more = f"<p>… and {len(names) - limit:,} more</p>" if len(names) > limit else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"

"""Parts of a comparison as frames."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from fewest.display.tables import to_frame
from fewest.errors import InvalidParameter
from fewest.summary import SplitPairTest

if TYPE_CHECKING:
    from fewest.evaluation.comparison import Comparison


def frame_of(comparison: Comparison, of: str) -> Any:
    """Return a part of a comparison as a frame, with its columns where there are no rows."""
    tables = comparison.summary.tables
    names: list[str] = []
    rows: list[dict[str, Any]]
    if of == "table":
        rows = comparison.table
    elif of == "curves":
        rows = [
            {"table": table, "method": method, "classifier": classifier, **point}
            for table, methods in comparison.curves.items()
            for method, classifiers in methods.items()
            for classifier, curve in classifiers.items()
            for point in curve
        ]
    elif of == "tests":
        # One method has no pairs.
        names = ["table", *(field.name for field in fields(SplitPairTest))]
        rows = [{"table": table.name, **asdict(pair)} for table in tables for pair in table.pairs]
    elif of == "stability":
        rows = [
            {"table": table.name, "method": method.name, **asdict(frequency)}
            for table in tables
            for method in table.completed
            for frequency in method.frequencies
        ]
    else:
        raise InvalidParameter(f"of must be 'table', 'curves', 'tests' or 'stability', got {of!r} instead.")
    return to_frame({name: [row.get(name) for row in rows] for name in (rows[0] if rows else names)})

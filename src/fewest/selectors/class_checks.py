"""Checks of the classes of the rows that were read."""

from __future__ import annotations

import warnings

import numpy as np

from fewest.errors import FewestWarning, InvalidInput
from fewest.protocols import Evidence


def check_classes(statistic: Evidence) -> None:
    """Raise unless there are at least two rows and two classes."""
    labels = [label for label, n in statistic.counts_by_class().items() if n > 0]
    if statistic.n_rows < 2:
        raise InvalidInput(
            f"The number of usable rows is {statistic.n_rows} (n_samples={statistic.n_rows}; rows without a label or "
            "with zero weight do not count); at least 2 are needed. Give more rows."
        )
    if len(labels) < 2:
        raise InvalidInput(
            f"All {statistic.n_rows} rows have the one class {labels[0]!r} (1 class); at least two classes are needed. "
            "Name another target, or give rows of other classes."
        )


def note_many_classes(statistic: Evidence) -> tuple[str, ...]:
    """Return a note, and warn, where classes are nearly as many as rows."""
    n_classes = np.count_nonzero(list(statistic.counts_by_class().values()))
    if n_classes <= max(statistic.n_rows / 2, 20):
        return ()
    what = f"{n_classes} classes in {statistic.n_rows} rows"
    return warned(f"{what}: the target looks like a quantity or an identifier, not like a class")


def warned(note: str) -> tuple[str, ...]:
    """Return the note, which is a warning of the caller of fit too."""
    warnings.warn(note, FewestWarning, stacklevel=5)
    return (note,)

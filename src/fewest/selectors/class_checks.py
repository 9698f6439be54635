"""Checks of the rows that were read, and of the numbers of the answer."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

from fewest.arrays import Mask
from fewest.errors import FewestWarning, InvalidInput
from fewest.protocols import Evidence
from fewest.selection import Selection


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


def note_unobserved(is_observed: Mask | None, name_of: Callable[[int], str]) -> tuple[str, ...]:
    """Return a note, and warn, where columns hold no value at all; name_of : the name of a column."""
    if is_observed is None or is_observed.all():
        return ()
    unobserved = np.flatnonzero(~is_observed)
    shown = ", ".join(repr(name_of(i)) for i in unobserved[:5]) + (", …" if len(unobserved) > 5 else "")
    return warned(f"{len(unobserved)} column(s) hold no value at all and are ranked last: {shown}")


def check_finite(selection: Selection, varies: Mask | None, name_of: Callable[[int], str]) -> None:
    """Raise where the answer is not a number: the value, the bound, or the score of a column that varies."""
    for index, score in zip(selection.indices, selection.scores, strict=True):
        if math.isnan(score) and (varies is None or varies[index]):
            raise InvalidInput(
                f"The score of column {name_of(index)!r} is not a number: some values of the table are too large or "
                "too small to be squared and summed. Rescale its columns to a similar range."
            )
    for what, number in (("value", selection.value), ("bound", selection.bound)):
        if number is not None and not math.isfinite(number):
            raise InvalidInput(
                f"The {what} of the selection is {number}, not a finite number: some values of the table are too large "
                "or too small to be squared and summed. Rescale its columns to a similar range."
            )


def warned(note: str) -> tuple[str, ...]:
    """Return the note, which is a warning of the caller of fit too."""
    warnings.warn(note, FewestWarning, stacklevel=5)
    return (note,)

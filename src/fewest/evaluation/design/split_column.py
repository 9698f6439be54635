"""Splits that a column of the table says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewest.arrays import Mask
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput

#: Of each row, whether it is learned from, and whether it is tested.
Flags = tuple[Mask, Mask]

_LEARNED = ("train", "training", "learn", "learning")
_TESTED = ("test", "testing")
_UNCLEAR = ("valid", "validation", "val")
#: Rows of this fold are never tested, as in scikit-learn's PredefinedSplit.
_NEVER_TESTED = "-1"


@dataclass(frozen=True)
class SplitColumn:
    """Splits that a column says, to be given to compare as outer: which rows are learned from, which are tested.

    Its values are "train" and "test" (also "training", "learn", "testing", in capitals or not): one split. Or they are
    the numbers or names of folds, each of which is tested once while all others are learned from; rows of the fold -1
    are always learned from. The column is no feature.

    Parameters
    ----------
    column : str or array
        The name of the column, or its values, one a row; for several tables a dict of these by the table's name, or
        one name for all.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fewest import SplitColumn, compare
    >>> table, label = load_iris(return_X_y=True, as_frame=True)
    >>> table["part"] = ["test" if row % 3 == 0 else "train" for row in range(150)]
    >>> found = compare("fisher-score", table, label, outer=SplitColumn("part"), classifiers=["nb"])
    >>> int(found.tables[0].n_train), int(found.tables[0].n_test), found.tables[0].n_columns
    (100, 50, 4)
    """

    column: Any

    def __str__(self) -> str:
        return f"as the column {self.column!r} says" if isinstance(self.column, str) else "as given for each row"

    def pairs(self, values: Sequence[Any], where: str) -> list[Flags]:
        """The splits of a table, whose values in the column are these; None where one is missing."""
        missing = [row for row, value in enumerate(values) if value is None]
        if missing:
            raise InvalidInput(
                f"The split of {where} has no value in {len(missing)} of {len(values)} rows (first: row {missing[0]}). "
                "Fill it in, or leave those rows out."
            )
        marks = [_mark(value, where) for value in values]
        known = list(dict.fromkeys(marks))
        is_part = any(_word(mark) in _LEARNED + _TESTED + _UNCLEAR for mark in known)
        return _two_parts(marks, known, where) if is_part else _folds(marks, known, where)


def _two_parts(marks: Sequence[Any], known: Sequence[Any], where: str) -> list[Flags]:
    for mark in known:
        if _word(mark) in _UNCLEAR:
            raise InvalidInput(
                f"The split of {where} holds {mark!r} (first: row {marks.index(mark)}), which is neither: the size is "
                "chosen by inner folds of the rows learned from. Write 'train' where such rows may be learned from, "
                "'test' where they are tested, or leave them out."
            )
        if _word(mark) not in _LEARNED + _TESTED:
            raise InvalidInput(
                f"The split of {where} holds {mark!r} (first: row {marks.index(mark)}) beside words for two parts. "
                "Write 'train' or 'test' in every row, or a fold in every row."
            )
    is_test = np.array([_word(mark) in _TESTED for mark in marks])
    if is_test.all() or not is_test.any():
        raise InvalidInput(f"All rows of {where} are to be {'tested' if is_test.all() else 'learned from'}. Mark some.")
    return [(~is_test, is_test)]


def _folds(marks: Sequence[Any], known: Sequence[Any], where: str) -> list[Flags]:
    tested = [mark for mark in known if _word(mark) != _NEVER_TESTED]
    if len(known) < 2:
        raise InvalidInput(
            f"All rows of {where} are of one fold ({known[0]!r}). Name at least two, or write 'train' and 'test'."
        )
    place = {mark: number for number, mark in enumerate(known)}
    folds = np.array([place[mark] for mark in marks])
    return [
        (folds != place[mark], folds == place[mark]) for mark in (tested[number] for number in sort_classes(tested))
    ]


def _mark(value: Any, where: str) -> Any:
    """Text without blanks about it, or a whole number."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and not value.is_integer():
        raise InvalidInput(
            f"The split of {where} holds {value!r}, which is no fold. Name a column of whole numbers, of names of "
            "folds, or of 'train' and 'test'."
        )
    return int(value) if isinstance(value, float) else value


def _word(mark: Any) -> str:
    return str(mark).lower()

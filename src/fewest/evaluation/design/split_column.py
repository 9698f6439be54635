"""Splits that a column of the table holds: parts named in words, rows that are marked, or folds."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fewest.arrays import Mask
from fewest.data.labels import sort_classes
from fewest.display.formatting import count, counted
from fewest.errors import InvalidInput
from fewest.parameters import check_choice

_TRAIN = ("train", "training", "learn", "learning")
_TEST = ("test", "testing")
_SELECT = ("select", "selection", "selecting")
_UNCLEAR = ("valid", "validation", "val")
#: Words in the name of a column that say what it holds, and those that turn the meaning of a word around.
_FOLD = ("fold", "folds", "cv")
_NEGATIONS = ("no", "not", "non", "without", "except")
#: Rows of this fold are never tested, as in scikit-learn's PredefinedSplit.
_NEVER_TESTED = "-1"
_YES, _NO = ("true", "1", "yes"), ("false", "0", "no")
_MEANINGS = ("auto", "train", "test", "folds")


@dataclass(frozen=True)
class MarkedSplits:
    """What a column says.

    pairs : training rows and test rows of each split
    select : the rows on which methods select where the column marks some, which are no training rows then; or None
    note : what was read from the column, in a sentence
    """

    pairs: list[tuple[Mask, Mask]]
    note: str
    select: Mask | None = None


@dataclass(frozen=True)
class SplitColumn:
    """Splits that a column of the table holds, to be passed to compare as outer.

    Its values are one of these:

    - "train" and "test" (also "training", "learn", "testing", in capitals or not): one split. With rows marked "select"
      as well, methods select on these, and classifiers are trained on those marked "train".
    - True and False, or 1 and 0, in a column whose name says what is marked: "train" or "is_train" the training rows,
      "test" or "in_test" the test rows. One split.
    - Numbers or names of folds, each of which is tested once with all others for training; rows of the fold -1 are
      always training rows.

    True and False, or 1 and 0, in a column of any other name are refused: they could mean each of these. A column whose
    name has the word "fold" holds folds. The column is no feature.

    Parameters
    ----------
    column : str, array-like or dict
        The name of the column, or its values, one a row; for several tables a dict of these by the table's name, or
        one name for all.
    meaning : {"auto", "train", "test", "folds"}, default="auto"
        What the values mean: "train", true values mark the training rows; "test", true values mark the test rows;
        "folds". "auto": as the values and the name of the column say.

    See Also
    --------
    compare : Compares methods on these splits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fewest import SplitColumn, compare
    >>> table, label = load_iris(return_X_y=True, as_frame=True)
    >>> table["train"] = [row % 3 != 0 for row in range(150)]
    >>> found = compare("fisher-score", table, label, outer=SplitColumn("train"), classifiers=["nb"])
    >>> int(found.tables[0].n_train), int(found.tables[0].n_test), found.tables[0].n_columns
    (100, 50, 4)
    >>> found.tables[0].split_note
    "The column 'train' marks the training rows: 100 rows to train on, and the 50 others to test."
    """

    column: object
    meaning: str = "auto"

    def __post_init__(self) -> None:
        check_choice("meaning", self.meaning, _MEANINGS)

    def __str__(self) -> str:
        return f"as the column {self.column!r} says" if isinstance(self.column, str) else "as given for each row"

    def name_in(self, table: str) -> str | None:
        """The name of the column in a table; None where values are given."""
        own = self.column.get(table) if isinstance(self.column, Mapping) else self.column
        return own if isinstance(own, str) else None

    def read(self, values: Sequence[object], table: str) -> MarkedSplits:
        """The splits that the values of the column stand for; None is a missing value."""
        name, shown = self.name_in(table), repr(table)
        missing = [row for row, value in enumerate(values) if value is None]
        if missing:
            raise InvalidInput(
                f"The split of {shown} has no value in {len(missing)} of {len(values)} rows (first: row {missing[0]}). "
                "Fill it in, or leave those rows out."
            )
        marks = [_as_mark(value, shown) for value in values]
        known = list(dict.fromkeys(marks))
        subject = "What is given for each row" if name is None else f"The column {name!r}"
        if self.meaning == "folds":
            return _folds(marks, known, shown, subject)
        if self.meaning == "auto" and any(_word(mark) in _TRAIN + _TEST + _SELECT + _UNCLEAR for mark in known):
            return _parts(marks, known, shown, subject)
        is_flags = {_word(mark) for mark in known} <= {*_YES, *_NO}
        meaning = _meaning_of(name) if self.meaning == "auto" else self.meaning
        if meaning in ("train", "test"):
            if not is_flags:
                raise _no_flags(known, meaning, shown, subject, is_requested=self.meaning != "auto")
            return _flags(marks, meaning, shown, subject)
        if is_flags and meaning is None and len(known) == 2:
            raise _ambiguous(marks, known, shown, subject)
        return _folds(marks, known, shown, subject)


def _meaning_of(name: str | None) -> str | None:
    """What the name of a column says that it marks: "train", "test" or "folds"; None where it says nothing clear."""
    words = set() if name is None else {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    if words & set(_NEGATIONS):
        return None
    kinds = {"train": _TRAIN, "test": _TEST, "folds": _FOLD}
    found = [kind for kind, own in kinds.items() if words & set(own)]
    return found[0] if len(found) == 1 else None


def _flags(marks: Sequence[Hashable], meaning: str, table: str, subject: str) -> MarkedSplits:
    is_marked = np.array([_word(mark) in _YES for mark in marks])
    is_train = is_marked if meaning == "train" else ~is_marked
    _check_both(is_train, table)
    n_train, n_test = _number(is_train), _number(~is_train)
    if meaning == "train":
        note = f"marks the training rows: {_rows(n_train)} to train on, and the {count(n_test)} others to test."
    else:
        note = f"marks the test rows: {_rows(n_test)} to test, and the {count(n_train)} others to train on."
    return MarkedSplits([(is_train, ~is_train)], f"{subject} {note}")


def _parts(marks: Sequence[Hashable], known: Sequence[Hashable], table: str, subject: str) -> MarkedSplits:
    for mark in known:
        where = f"(first: row {marks.index(mark)})"
        if _word(mark) in _UNCLEAR:
            raise InvalidInput(
                f"The split of {table} holds {mark!r} {where}, which is neither: the size is chosen by inner folds of "
                "the training rows. Write 'train' where such rows may be training rows, 'test' where they are test "
                "rows, 'select' where methods select on them and nothing is trained, or leave them out."
            )
        if _word(mark) not in _TRAIN + _TEST + _SELECT:
            raise InvalidInput(
                f"The split of {table} holds {mark!r} {where} in addition to 'train' and 'test'. Write 'train' or "
                "'test' in every row, or a fold in every row."
            )
    is_train, is_test, is_select = (
        np.array([_word(mark) in words for mark in marks]) for words in (_TRAIN, _TEST, _SELECT)
    )
    _check_both(is_train, table, is_test)
    n_train, n_test, n_select = map(_number, (is_train, is_test, is_select))
    if n_select:
        note = f"names {_rows(n_select)} to select on, {count(n_train)} others to train on, and {count(n_test)} to test"
        return MarkedSplits([(is_train, is_test)], f"{subject} {note}.", is_select)
    note = f"{subject} names {_rows(n_train)} to train on, and {count(n_test)} to test."
    return MarkedSplits([(is_train, is_test)], note)


def _check_both(is_train: Mask, table: str, is_test: Mask | None = None) -> None:
    is_test = ~is_train if is_test is None else is_test
    if not is_train.any() or not is_test.any():
        part = "test" if is_test.any() else "training"
        if is_train.any() or is_test.all():
            raise InvalidInput(f"All rows of {table} are {part} rows. Mark some otherwise.")
        raise InvalidInput(f"No row of {table} is a training row. Mark some.")


def _folds(marks: Sequence[Hashable], known: Sequence[Hashable], table: str, subject: str) -> MarkedSplits:
    if len(known) < 2:
        raise InvalidInput(
            f"All rows of {table} are of one fold ({known[0]!r}). Name at least two, or write 'train' and 'test'."
        )
    number = {mark: index for index, mark in enumerate(known)}
    folds = np.array([number[mark] for mark in marks])
    tested = [mark for mark in known if _word(mark) != _NEVER_TESTED]
    order = [number[tested[index]] for index in sort_classes(tested)]
    pairs = [(folds != fold, folds == fold) for fold in order]
    if len(pairs) == 1:
        ((train, test),) = pairs
        note = f"names {_rows(_number(test))} to test, and {count(_number(train))} never tested"
    else:
        note = f"holds {counted(len(pairs), 'fold')}: each is tested once, after training on all other rows"
    return MarkedSplits(pairs, f"{subject} {note}.")


def _ambiguous(marks: Sequence[Hashable], known: Sequence[Hashable], table: str, subject: str) -> InvalidInput:
    yes = next(mark for mark in known if _word(mark) in _YES)
    (no,) = (mark for mark in known if mark != yes)
    n_yes, n_no = marks.count(yes), marks.count(no)
    return InvalidInput(
        f"The split of {table} can be read in several ways. {subject} holds {yes!r} in {_rows(n_yes)} and {no!r} in "
        f"{count(n_no)}. Where {yes!r} marks the training rows ({count(n_yes)} to train on, {count(n_no)} to test), "
        f"say meaning='train' (--split-meaning train); where it marks the test rows ({count(n_no)} to train on, "
        f"{count(n_yes)} to test), meaning='test'; where these are two folds, each tested after training on the other, "
        "meaning='folds'. A column that is called 'train', 'test' or 'fold' needs none."
    )


def _no_flags(known: Sequence[Hashable], meaning: str, table: str, subject: str, *, is_requested: bool) -> InvalidInput:
    values = ", ".join(map(repr, known[:5])) + (", …" if len(known) > 5 else "")
    kind = "training" if meaning == "train" else "test"
    if is_requested:
        return InvalidInput(
            f"The split of {table} cannot be read with meaning={meaning!r}. {subject} holds {values}: mark the {kind} "
            "rows by True and the others by False, or leave the meaning out."
        )
    return InvalidInput(
        f"The split of {table} can be read in two ways. {subject} is called as if it marked the {kind} rows, and its "
        f"values ({values}) are such as folds have. Where these are folds, say meaning='folds' (--split-meaning "
        f"folds); otherwise mark the {kind} rows by True, or write 'train' and 'test'."
    )


def _as_mark(value: object, table: str) -> Hashable:
    """The name of a fold or part without blanks around it, a boolean, or a whole number."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and not value.is_integer():
        raise InvalidInput(
            f"The split of {table} holds {value!r}, which is no fold. Name a column of whole numbers, of names of "
            "folds, or of 'train' and 'test'."
        )
    if isinstance(value, float):
        return int(value)
    if not isinstance(value, Hashable):
        raise InvalidInput(f"The split of {table} must hold a single value in each row, such as 'train'.")
    return value


def _word(mark: Hashable) -> str:
    return str(mark).lower()


def _number(is_member: Mask) -> int:
    return int(np.count_nonzero(is_member))


def _rows(n: int) -> str:
    return counted(n, "row")

"""Splits into training rows and test rows: random, folds, leave-one-out, as passed, or as a column holds them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from fewest.arrays import Codes, Indices, Mask
from fewest.data.labels import sort_classes
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.groups import Groups
from fewest.evaluation.design.labelled_tables import Table

#: Training rows and test rows, ascending.
Split = tuple[Indices, Indices]

_TRAIN = ("train", "training", "learn", "learning")
_TEST = ("test", "testing")
_UNCLEAR = ("valid", "validation", "val")
#: Rows of this fold are never tested, as in scikit-learn's PredefinedSplit.
_NEVER_TESTED = "-1"
_ALLOWED = "a number of random splits, 'loo', '10-fold', '5x10-fold', SplitColumn(name), or pairs of (train, test) rows"


@runtime_checkable
class Resampling(Protocol):
    """A way to split rows into training rows and test rows; str() describes it."""

    def splits(self, codes: Codes, seed: int, groups: Groups | None = None) -> list[Split]:
        """Pairs of (train, test) rows, ascending; rows of one group are on one side."""
        ...


@dataclass(frozen=True)
class RandomSplits:
    """Random splits of each class, the same share of each for testing; at least one row of it is on each side."""

    n_splits: int = 20
    test_share: float = 0.25

    def __post_init__(self) -> None:
        if self.n_splits < 1 or not 0 < self.test_share < 1:
            raise InvalidParameter(
                f"RandomSplits takes a number of splits and a share between 0 and 1, got {self.n_splits!r} and "
                f"{self.test_share!r}."
            )

    def __str__(self) -> str:
        return f"{self.n_splits} random splits of each class, {self.test_share:.2g} of it to test"

    def splits(self, codes: Codes, seed: int, groups: Groups | None = None) -> list[Split]:
        found = []
        for number in range(self.n_splits):
            draw = np.random.default_rng([seed, number])
            is_test = self._draw_test(codes, draw) if groups is None else groups.draw_test(codes, self.test_share, draw)
            found.append((np.flatnonzero(~is_test), np.flatnonzero(is_test)))
        return found

    def _draw_test(self, codes: Codes, draw: np.random.Generator) -> Mask:
        is_test = np.zeros(len(codes), dtype=bool)
        for code in np.unique(codes):
            own = draw.permutation(np.flatnonzero(codes == code))
            is_test[own[: min(max(1, round(self.test_share * len(own))), len(own) - 1)]] = True
        return is_test


@dataclass(frozen=True)
class RepeatedFolds:
    """Stratified random folds, each of which is tested once; all of it repeated with other folds."""

    n_folds: int = 5
    n_repeats: int = 1

    def __post_init__(self) -> None:
        if self.n_folds < 2 or self.n_repeats < 1:
            raise InvalidParameter(
                f"RepeatedFolds takes at least 2 folds and 1 repeat, got {self.n_folds!r} and {self.n_repeats!r}."
            )

    def __str__(self) -> str:
        times = f", {self.n_repeats} times" if self.n_repeats > 1 else ""
        return f"{self.n_folds}-fold cross-validation{times}"

    def splits(self, codes: Codes, seed: int, groups: Groups | None = None) -> list[Split]:
        found = []
        for number in range(self.n_repeats):
            folds = assign_folds(codes, self.n_folds, np.random.default_rng([seed, number]), groups)
            found += [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in np.unique(folds)]
        if any(len(np.unique(codes[train])) < 2 for train, _ in found):
            raise InvalidInput(
                f"The rows cannot be assigned to {self.n_folds} folds so that the training rows of each split are of "
                "two classes. Take another number of folds, or random splits."
            )
        return found


@dataclass(frozen=True)
class LeaveOneOut:
    """Each row is tested once, or each group, with all others for training."""

    def __str__(self) -> str:
        return "leave-one-out"

    def splits(self, codes: Codes, seed: int, groups: Groups | None = None) -> list[Split]:
        rows = np.arange(len(codes))
        group_of_row = rows if groups is None else groups.codes
        return [(rows[group_of_row != group], rows[group_of_row == group]) for group in np.unique(group_of_row)]


@dataclass(frozen=True)
class GivenSplits:
    """Splits that were made beforehand: pairs of training rows and test rows, as indices or flags."""

    pairs: Sequence[tuple[ArrayLike, ArrayLike]]

    def __str__(self) -> str:
        return "a given split" if len(self.pairs) == 1 else f"{len(self.pairs)} given splits"

    def splits(self, codes: Codes, seed: int, groups: Groups | None = None) -> list[Split]:
        found = []
        for pair in self.pairs:
            train, test = (np.sort(_row_indices(rows, len(codes))) for rows in pair)
            if np.isin(train, test).any():
                raise InvalidInput("A split has a row that is both a training row and a test row.")
            if len(test) == 0 or len(np.unique(codes[train])) < 2:
                raise InvalidInput("A split needs training rows of two classes, and test rows.")
            if groups is not None:
                groups.check_apart(train, test)
            found.append((train, test))
        return found


@dataclass(frozen=True)
class SplitColumn:
    """Splits that a column of the table holds, to be passed to compare as outer.

    Its values are "train" and "test" (also "training", "learn", "testing", in capitals or not): one split. Or they are
    the numbers or names of folds, each of which is tested once with all others for training; rows of the fold -1
    are always training rows. The column is no feature.

    Parameters
    ----------
    column : str, array-like or dict
        The name of the column, or its values, one a row; for several tables a dict of these by the table's name, or
        one name for all.

    See Also
    --------
    compare : Compares methods on these splits.

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

    column: object

    def __str__(self) -> str:
        return f"as the column {self.column!r} says" if isinstance(self.column, str) else "as given for each row"

    def pairs(self, values: Sequence[object], table: str) -> list[tuple[Mask, Mask]]:
        """The training rows and test rows of each split, from the values of the column; None is a missing value."""
        missing = [row for row, value in enumerate(values) if value is None]
        if missing:
            raise InvalidInput(
                f"The split of {table} has no value in {len(missing)} of {len(values)} rows (first: row {missing[0]}). "
                "Fill it in, or leave those rows out."
            )
        marks = [_as_mark(value, table) for value in values]
        known = list(dict.fromkeys(marks))
        is_part = any(_word(mark) in _TRAIN + _TEST + _UNCLEAR for mark in known)
        return _two_parts(marks, known, table) if is_part else _folds(marks, known, table)


def assign_folds(codes: Codes, n_folds: int, draw: np.random.Generator, groups: Groups | None = None) -> Indices:
    """The fold of each row, stratified by class; groups stay together.

    Own code, since scikit-learn's StratifiedGroupKFold may leave a class without training rows.
    """
    if groups is not None:
        return groups.assign_folds(codes, n_folds, draw)
    folds = np.empty(len(codes), dtype=np.intp)
    start = 0
    for code in np.unique(codes):
        own = draw.permutation(np.flatnonzero(codes == code))
        folds[own] = (start + np.arange(len(own))) % n_folds
        # A class begins at the fold where the last one ended, so that folds have equal lengths.
        start = (start + len(own)) % n_folds
    return folds


def splits_of(table: Table, resampling: Resampling | SplitColumn, seed: int) -> list[Split]:
    """The splits of a table; groups stay together."""
    if isinstance(resampling, SplitColumn):
        if table.marks is None:
            raise InvalidInput(f"No column says how {table.name!r} is split. Name one for every table.")
        resampling = GivenSplits(resampling.pairs(table.marks, repr(table.name)))
    if not isinstance(resampling, GivenSplits):
        return resampling.splits(table.codes, seed, table.groups)
    # These number the rows as given.
    position = np.argsort(table.row_numbers)
    pairs = resampling.splits(table.codes[position], seed, table.groups_of(position))
    return [(np.sort(position[train]), np.sort(position[test])) for train, test in pairs]


def describe(resampling: Resampling | SplitColumn, group: str | None) -> str:
    """Describe the splits for the report; group is the name of what is kept together."""
    if group is None:
        return str(resampling)
    if isinstance(resampling, LeaveOneOut):
        return f"leave one {group} out"
    return f"{resampling}, rows of one {group} kept together"


def to_resampling(outer: object) -> Resampling | SplitColumn:
    """The splits that compare's outer describes: a number, "loo", "5x10-fold", pairs of rows, or a Resampling."""
    if isinstance(outer, SplitColumn | Resampling):
        return outer
    if isinstance(outer, (int, np.integer)) and not isinstance(outer, bool):
        return RandomSplits(int(outer))
    if isinstance(outer, str):
        return _parse(outer)
    try:
        return GivenSplits([(train, test) for train, test in cast(Iterable[tuple[ArrayLike, ArrayLike]], outer)])
    except (TypeError, ValueError):
        raise InvalidParameter(f"outer must be {_ALLOWED}, got {outer!r} instead.") from None


def _parse(description: str) -> Resampling:
    text = description.strip().lower()
    if text in ("loo", "leave-one-out"):
        return LeaveOneOut()
    if text.isdecimal():
        return RandomSplits(int(text))
    times, _, folds = text.removesuffix("-fold").rpartition("x")
    if text.endswith("-fold") and folds.isdecimal() and (times == "" or times.isdecimal()):
        return RepeatedFolds(int(folds), int(times or 1))
    raise InvalidParameter(f"outer must be {_ALLOWED}, got {description!r} instead.")


def _row_indices(rows: ArrayLike, n_rows: int) -> Indices:
    array = np.asarray(rows)
    if array.dtype == bool:
        if len(array) != n_rows:
            raise InvalidInput(f"A split is given as {len(array)} flags, and there are {n_rows} rows.")
        return np.flatnonzero(array)
    if array.dtype.kind not in "iu" or (len(array) and (array.min() < 0 or array.max() >= n_rows)):
        raise InvalidInput(f"A split is given as numbers of rows from 0 to {n_rows - 1}, or as flags, one a row.")
    return array.astype(np.intp)


def _two_parts(marks: Sequence[Hashable], known: Sequence[Hashable], table: str) -> list[tuple[Mask, Mask]]:
    for mark in known:
        if _word(mark) in _UNCLEAR:
            raise InvalidInput(
                f"The split of {table} holds {mark!r} (first: row {marks.index(mark)}), which is neither: the size is "
                "chosen by inner folds of the training rows. Write 'train' where such rows may be training rows, "
                "'test' where they are test rows, or leave them out."
            )
        if _word(mark) not in _TRAIN + _TEST:
            raise InvalidInput(
                f"The split of {table} holds {mark!r} (first: row {marks.index(mark)}) in addition to 'train' and "
                "'test'. Write 'train' or 'test' in every row, or a fold in every row."
            )
    is_test = np.array([_word(mark) in _TEST for mark in marks])
    if is_test.all() or not is_test.any():
        part = "test" if is_test.all() else "training"
        raise InvalidInput(f"All rows of {table} are {part} rows. Mark some otherwise.")
    return [(~is_test, is_test)]


def _folds(marks: Sequence[Hashable], known: Sequence[Hashable], table: str) -> list[tuple[Mask, Mask]]:
    if len(known) < 2:
        raise InvalidInput(
            f"All rows of {table} are of one fold ({known[0]!r}). Name at least two, or write 'train' and 'test'."
        )
    number = {mark: index for index, mark in enumerate(known)}
    folds = np.array([number[mark] for mark in marks])
    tested = [mark for mark in known if _word(mark) != _NEVER_TESTED]
    order = [number[tested[index]] for index in sort_classes(tested)]
    return [(folds != fold, folds == fold) for fold in order]


def _as_mark(value: object, table: str) -> Hashable:
    """The name of a fold or part without blanks around it, or a whole number."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and not value.is_integer():
        raise InvalidInput(
            f"The split of {table} holds {value!r}, which is no fold. Name a column of whole numbers, of names of "
            "folds, or of 'train' and 'test'."
        )
    return int(value) if isinstance(value, float) else value


def _word(mark: Hashable) -> str:
    return str(mark).lower()

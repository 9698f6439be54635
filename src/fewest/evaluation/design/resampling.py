"""Splits into training rows and test rows: random, folds, leave-one-out, as passed, or as a column holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from fewest.arrays import Codes, Indices, Mask
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.groups import Groups
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.design.rows_to_select_on import RowsToSelectOn
from fewest.evaluation.design.split_column import SplitColumn
from fewest.parameters import is_number, wrong

#: Training rows and test rows, ascending.
Split = tuple[Indices, Indices]


@dataclass(frozen=True)
class TableSplits:
    """The splits of a table.

    pairs : training rows and test rows of each
    select : by split, the rows on which methods select, which are neither; None where they select on training rows
    select_of_all : of all rows, those on which methods select for the recommendation; None for all
    note : what a column says about them, in a sentence; or None
    """

    pairs: list[Split]
    select: list[Indices] | None = None
    select_of_all: Indices | None = None
    note: str | None = None


_ALLOWED = (
    "a number of random splits, 'loo', '10-fold', '5x10-fold', SplitColumn(name), pairs of (train, test) rows, or "
    "triples of (select, train, test) rows"
)


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
    """Splits that were made beforehand: pairs of training rows and test rows, as indices or flags.

    select : by split, the rows on which methods select, which are neither; None where they select on training rows
    """

    pairs: Sequence[tuple[ArrayLike, ArrayLike]]
    select: Sequence[ArrayLike] | None = None

    def __str__(self) -> str:
        given = "a given split" if len(self.pairs) == 1 else f"{len(self.pairs)} given splits"
        return given if self.select is None else f"{given} into rows to select on, to train on and to test"

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

    def rows_to_select_on(self, splits: Sequence[Split], codes: Codes, groups: Groups | None) -> list[Indices] | None:
        """By split, the rows on which methods select; None where they select on training rows."""
        if self.select is None:
            return None
        found = []
        for rows, (train, test) in zip(self.select, splits, strict=True):
            own = np.sort(_row_indices(rows, len(codes)))
            if np.isin(own, train).any() or np.isin(own, test).any():
                raise InvalidInput("A split has a row to select on that is also a training row or a test row.")
            if len(np.unique(codes[own])) < 2:
                raise InvalidInput("A split needs rows of two classes to select on.")
            if groups is not None:
                groups.check_apart(own, test)
            found.append(own)
        return found


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


def splits_of(
    table: Table, resampling: Resampling | SplitColumn, seed: int, select_rows: RowsToSelectOn | None = None
) -> TableSplits:
    """The splits of a table; groups stay together.

    select_rows : the training rows on which methods select, and no classifier is trained
    """
    note = None
    if isinstance(resampling, SplitColumn):
        if table.marks is None:
            raise InvalidInput(f"No column says how {table.name!r} is split. Name one for every table.")
        found = resampling.read(table.marks, table.name)
        resampling, note = GivenSplits(found.pairs, None if found.select is None else [found.select]), found.note
    select = None
    if not isinstance(resampling, GivenSplits):
        pairs = resampling.splits(table.codes, seed, table.groups)
    else:
        # These number the rows as given.
        position = np.argsort(table.row_numbers)
        codes, groups = table.codes[position], table.groups_of(position)
        given = resampling.splits(codes, seed, groups)
        select = resampling.rows_to_select_on(given, codes, groups)
        pairs = [(np.sort(position[train]), np.sort(position[test])) for train, test in given]
        select = None if select is None else [np.sort(position[rows]) for rows in select]
    if select is not None:
        if select_rows is not None:
            raise InvalidParameter("The splits name the rows to select on already. Leave select_rows out.")
        # For the recommendation the same share of all rows.
        n_select, n_train = np.sum([[len(own), len(train)] for own, (train, _) in zip(select, pairs, strict=True)], 0)
        select_rows = RowsToSelectOn(float(n_select / (n_select + n_train)))
    if select_rows is None:
        return TableSplits(pairs, note=note)
    drawn = partial(select_rows.draw, codes=table.codes, groups=table.groups, seed=seed, table=table.name)
    if select is None:
        parts = [(drawn(rows=train, number=number), test) for number, (train, test) in enumerate(pairs)]
        select, pairs = [own for (own, _), _ in parts], [(train, test) for (_, train), test in parts]
    return TableSplits(pairs, select, drawn(rows=np.arange(table.n_rows), number=len(pairs))[0], note)


def describe(resampling: Resampling | SplitColumn, group: str | None, select_rows: RowsToSelectOn | None = None) -> str:
    """Describe the splits for the report; group is the name of what is kept together."""
    if isinstance(resampling, LeaveOneOut) and group is not None:
        described = f"leave one {group} out"
    else:
        described = f"{resampling}" if group is None else f"{resampling}, rows of one {group} kept together"
    return described if select_rows is None else f"{described}; {select_rows}"


def to_resampling(outer: object) -> Resampling | SplitColumn:
    """The splits that compare's outer describes: a number, "loo", "5x10-fold", pairs of rows, or a Resampling."""
    if isinstance(outer, SplitColumn | Resampling):
        return outer
    if isinstance(outer, (int, np.integer)) and not isinstance(outer, bool):
        return RandomSplits(int(outer))
    if isinstance(outer, str):
        return _parse(outer)
    try:
        parts = [tuple(one) for one in cast(Iterable[Iterable[ArrayLike]], outer)]
        if parts and all(len(one) == 3 for one in parts):
            return GivenSplits([(train, test) for _, train, test in parts], [select for select, _, _ in parts])
        return GivenSplits([(train, test) for train, test in parts])
    except (TypeError, ValueError):
        raise InvalidParameter(f"outer must be {_ALLOWED}, got {outer!r} instead.") from None


def with_test_share(resampling: Resampling | SplitColumn, test_share: object) -> Resampling | SplitColumn:
    """The same splits with this share of each class to test; None leaves them as they are."""
    if test_share is None:
        return resampling
    if not is_number(test_share) or not 0 < test_share < 1:
        raise wrong("test_share", "a number between 0 and 1", test_share)
    if not isinstance(resampling, RandomSplits):
        raise InvalidParameter(
            f"test_share={test_share} is for random splits, and these are given otherwise: {resampling}. Leave it out, "
            "or take a number of random splits."
        )
    return RandomSplits(resampling.n_splits, float(test_share))


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

"""Which rows are learned from and which are tested, again and again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fewest.arrays import Codes, Indices, Mask
from fewest.errors import InvalidInput, InvalidParameter
from fewest.evaluation.design.groups import Groups
from fewest.evaluation.design.split_column import SplitColumn
from fewest.evaluation.design.table import Table

Split = tuple[Indices, Indices]


class Resampling(Protocol):
    """A way to split rows into those that are learned from and those that are tested. str() says it in words."""

    def splits(self, codes: Codes, seed: int, groups: Groups | None = None) -> list[Split]:
        """Pairs of (train, test) rows, ascending; rows of one group are on one side."""
        ...


@dataclass(frozen=True)
class RandomSplits:
    """Every class is split at random, the same share of each to test; at least one row of it stays on either side."""

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
            is_test = self._drawn(codes, draw) if groups is None else groups.draw_test(codes, self.test_share, draw)
            found.append((np.flatnonzero(~is_test), np.flatnonzero(is_test)))
        return found

    def _drawn(self, codes: Codes, draw: np.random.Generator) -> Mask:
        is_test = np.zeros(len(codes), dtype=bool)
        for code in np.unique(codes):
            own = draw.permutation(np.flatnonzero(codes == code))
            is_test[own[: min(max(1, round(self.test_share * len(own))), len(own) - 1)]] = True
        return is_test


@dataclass(frozen=True)
class RepeatedFolds:
    """Every class is dealt out at random to so many folds, each of which is tested once; the whole several times."""

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
            folds = dealt_out(codes, self.n_folds, np.random.default_rng([seed, number]), groups)
            found += [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in np.unique(folds)]
        if any(len(np.unique(codes[train])) < 2 for train, _ in found):
            raise InvalidInput(
                f"The rows cannot be dealt out to {self.n_folds} folds so that two classes are left to learn from when "
                "one is tested. Take another number of folds, or random splits."
            )
        return found


@dataclass(frozen=True)
class LeaveOneOut:
    """Every row is tested once, or every group, and learned from all others."""

    def __str__(self) -> str:
        return "leave-one-out"

    def splits(self, codes: Codes, seed: int, groups: Groups | None = None) -> list[Split]:
        everything = np.arange(len(codes))
        if groups is not None:
            apart = [groups.codes == group for group in range(len(groups.names))]
            return [(everything[~is_test], everything[is_test]) for is_test in apart]
        return [(np.delete(everything, row), everything[row : row + 1]) for row in everything]


@dataclass(frozen=True)
class GivenSplits:
    """Splits that were made beforehand: pairs of rows to learn from and to test."""

    pairs: Sequence[tuple[Any, Any]]

    def __str__(self) -> str:
        return "a given split" if len(self.pairs) == 1 else f"{len(self.pairs)} given splits"

    def splits(self, codes: Codes, seed: int, groups: Groups | None = None) -> list[Split]:
        found = []
        for train, test in self.pairs:
            learned, tested = (np.sort(_row_numbers(rows, len(codes))) for rows in (train, test))
            if np.isin(learned, tested).any():
                raise InvalidInput("A given split has a row that is both learned from and tested.")
            if len(tested) == 0 or len(np.unique(codes[learned])) < 2:
                raise InvalidInput("A given split needs rows of two classes to learn from, and rows to test.")
            if groups is not None:
                groups.check_apart(learned, tested)
            found.append((learned, tested))
        return found


def _row_numbers(rows: Any, n_rows: int) -> Indices:
    given = np.asarray(rows)
    if given.dtype == bool:
        if len(given) != n_rows:
            raise InvalidInput(f"A split is given as {len(given)} flags, and there are {n_rows} rows.")
        return np.flatnonzero(given)
    if given.dtype.kind not in "iu" or (len(given) and (given.min() < 0 or given.max() >= n_rows)):
        raise InvalidInput(f"A split is given as numbers of rows from 0 to {n_rows - 1}, or as flags, one a row.")
    return given.astype(np.intp)


def dealt_out(codes: Codes, n_folds: int, draw: np.random.Generator, groups: Groups | None = None) -> Indices:
    """The fold of each row: every class dealt out in turn; or whole groups, the classes as evenly as these allow."""
    if groups is not None:
        return groups.deal_out(codes, n_folds, draw)
    folds = np.empty(len(codes), dtype=np.intp)
    start = 0
    for code in np.unique(codes):
        own = draw.permutation(np.flatnonzero(codes == code))
        folds[own] = (start + np.arange(len(own))) % n_folds
        # Where the last class ended the next begins, so that folds are as long as each other.
        start = (start + len(own)) % n_folds
    return folds


def splits_of(table: Table, resampling: Resampling | SplitColumn, seed: int) -> list[Split]:
    """The splits of a table, whole groups on either side."""
    if isinstance(resampling, SplitColumn):
        if table.marks is None:
            raise InvalidInput(f"No column says how {table.name!r} is split. Name one for every table.")
        resampling = GivenSplits(resampling.pairs(table.marks, repr(table.name)))
    return resampling.splits(table.codes, seed, table.groups)


def in_words(resampling: Resampling | SplitColumn, group: str | None) -> str:
    """How rows are split, for the report; group is what rows that are kept together are of."""
    if group is None:
        return str(resampling)
    if isinstance(resampling, LeaveOneOut):
        return f"leave one {group} out"
    return f"{resampling}, rows of one {group} kept together"


def split_digest(split: Split, groups: Groups | None) -> str:
    """What makes a split this one and no other: its rows, and the groups, on which its inner folds depend."""
    hashed = hashlib.blake2b(digest_size=16)
    for part in (*split, np.zeros(0) if groups is None else groups.codes):
        hashed.update(f"{len(part)} ".encode() + part.tobytes())
    return hashed.hexdigest()


def to_resampling(outer: Any) -> Resampling | SplitColumn:
    """A number of random splits; "loo"; "10-fold" or "5x10-fold"; pairs of rows; or a way to split as it is."""
    if isinstance(outer, SplitColumn) or hasattr(outer, "splits"):
        return outer  # type: ignore[no-any-return]
    if isinstance(outer, (int, np.integer)) and not isinstance(outer, bool):
        return RandomSplits(int(outer))
    if isinstance(outer, str):
        return _of_words(outer)
    try:
        return GivenSplits([(train, test) for train, test in outer])
    except (TypeError, ValueError):
        raise InvalidParameter(f"outer must be {_ALLOWED}, got {outer!r} instead.") from None


_ALLOWED = "a number of random splits, 'loo', '10-fold', '5x10-fold', SplitColumn(name), or pairs of (train, test) rows"


def _of_words(words: str) -> Resampling:
    text = words.strip().lower()
    if text in ("loo", "leave-one-out"):
        return LeaveOneOut()
    if text.isdecimal():
        return RandomSplits(int(text))
    times, _, folds = text.removesuffix("-fold").rpartition("x")
    if text.endswith("-fold") and folds.isdecimal() and (times == "" or times.isdecimal()):
        return RepeatedFolds(int(folds), int(times or 1))
    raise InvalidParameter(f"outer must be {_ALLOWED}, got {words!r} instead.")

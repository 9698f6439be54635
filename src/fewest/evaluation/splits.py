"""Which rows are learned from and which are tested, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fewest.errors import InvalidInput, InvalidParameter

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]


class Resampling(Protocol):
    """A way to split rows into those that are learned from and those that are tested. str() says it in words."""

    def splits(self, codes: NDArray[np.int32], seed: int) -> list[Split]:
        """Pairs of (train, test) rows, ascending."""
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

    def splits(self, codes: NDArray[np.int32], seed: int) -> list[Split]:
        found = []
        for number in range(self.n_splits):
            draw = np.random.default_rng([seed, number])
            is_test = np.zeros(len(codes), dtype=bool)
            for code in np.unique(codes):
                own = draw.permutation(np.flatnonzero(codes == code))
                is_test[own[: min(max(1, round(self.test_share * len(own))), len(own) - 1)]] = True
            found.append((np.flatnonzero(~is_test), np.flatnonzero(is_test)))
        return found


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

    def splits(self, codes: NDArray[np.int32], seed: int) -> list[Split]:
        found = []
        for number in range(self.n_repeats):
            folds = dealt_out(codes, self.n_folds, np.random.default_rng([seed, number]))
            found += [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in np.unique(folds)]
        return found


@dataclass(frozen=True)
class LeaveOneOut:
    """Every row is tested once, and learned from all others."""

    def __str__(self) -> str:
        return "leave-one-out"

    def splits(self, codes: NDArray[np.int32], seed: int) -> list[Split]:
        everything = np.arange(len(codes))
        return [(np.delete(everything, row), everything[row : row + 1]) for row in everything]


@dataclass(frozen=True)
class GivenSplits:
    """Splits that were made beforehand: pairs of rows to learn from and to test."""

    pairs: Sequence[tuple[Any, Any]]

    def __str__(self) -> str:
        return "a given split" if len(self.pairs) == 1 else f"{len(self.pairs)} given splits"

    def splits(self, codes: NDArray[np.int32], seed: int) -> list[Split]:
        found = []
        for train, test in self.pairs:
            learned, tested = (np.sort(_row_numbers(rows, len(codes))) for rows in (train, test))
            if np.isin(learned, tested).any():
                raise InvalidInput("A given split has a row that is both learned from and tested.")
            if len(tested) == 0 or len(np.unique(codes[learned])) < 2:
                raise InvalidInput("A given split needs rows of two classes to learn from, and rows to test.")
            found.append((learned, tested))
        return found


def _row_numbers(rows: Any, n_rows: int) -> Rows:
    given = np.asarray(rows)
    if given.dtype == bool:
        if len(given) != n_rows:
            raise InvalidInput(f"A split is given as {len(given)} flags, and there are {n_rows} rows.")
        return np.flatnonzero(given)
    if given.dtype.kind not in "iu" or (len(given) and (given.min() < 0 or given.max() >= n_rows)):
        raise InvalidInput(f"A split is given as numbers of rows from 0 to {n_rows - 1}, or as flags, one a row.")
    return given.astype(np.intp)


def dealt_out(codes: NDArray[np.int32], n_folds: int, draw: np.random.Generator) -> NDArray[np.intp]:
    """The fold of each row: every class dealt out in turn, from a fold drawn at random on."""
    folds = np.empty(len(codes), dtype=np.intp)
    start = 0
    for code in np.unique(codes):
        own = draw.permutation(np.flatnonzero(codes == code))
        folds[own] = (start + np.arange(len(own))) % n_folds
        # Where the last class ended the next begins, so that folds are as long as each other.
        start = (start + len(own)) % n_folds
    return folds


def to_resampling(outer: Any) -> Resampling:
    """A number of random splits; "loo"; "10-fold" or "5x10-fold"; pairs of rows; or a Resampling as it is."""
    if hasattr(outer, "splits"):
        return outer  # type: ignore[no-any-return]
    if isinstance(outer, (int, np.integer)) and not isinstance(outer, bool):
        return RandomSplits(int(outer))
    if isinstance(outer, str):
        return _of_words(outer)
    try:
        return GivenSplits([(train, test) for train, test in outer])
    except (TypeError, ValueError):
        raise InvalidParameter(f"outer must be {_ALLOWED}, got {outer!r} instead.") from None


_ALLOWED = "a number of random splits, 'loo', '10-fold', '5x10-fold', or pairs of (train, test) rows"


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

"""The table of an experiment: bundled, generated or stored, with what the paper does to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from fewest.arrays import Floats, Integers
from fewest.datasets import Dataset, hide_class, load, names
from fewest.errors import InvalidInput
from fewest.papers.declarations import Run
from fewest.papers.experiments.known_tables import KNOWN_TABLES


@dataclass(frozen=True)
class Table:
    """A table by its name, and what is done to it before anything is split.

    name : of a bundled data set, a generator, or a stored table
    options : of a generator
    without : names of columns of a stored table that are left out before all else
    rare_values : rows that hold, in some column, a value that fewer rows have are left out; 0 for none
    shared_terms : columns without a zero are kept or left out, such as terms that occur in every text
    missing : missing values are kept, replaced by the median of their column, or their rows are left out
    hide : the share of the smallest class that is left out
    shuffle : give the labels to the rows at random: a control, in which nothing can be found
    labels : the array of a stored table that has the classes, where there are several
    part : the rows that its source calls training or test rows, where it does
    merge : classes that become one, by its name; None for none
    states : values become states on all rows, as the paper does: 1 above the mean and −1 below, or with "sigma" 1 and
        −1 farther than a standard deviation from it and 0 between
    min_rows : classes with fewer rows are left out
    noisy : the share of the columns whose values are given to the rows at random
    """

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    missing: Literal["keep", "median", "drop"] = "keep"
    hide: float = 0.0
    shuffle: bool = False
    labels: str = "y"
    part: Literal["all", "train", "test"] = "all"
    merge: Mapping[str, tuple[str, ...]] | None = None
    states: Literal["none", "mean", "sigma"] = "none"
    min_rows: int = 0
    noisy: float = 0.0
    without: tuple[str, ...] = ()
    rare_values: int = 0
    shared_terms: Literal["keep", "drop"] = "keep"

    @property
    def stored(self) -> tuple[str, ...]:
        """Its name, where it is a stored table."""
        return () if self.name in names() else (self.name,)

    def load(self, run: Run, number: int = 0) -> Dataset:
        """The table; a generator draws its rows with the seed of the run plus the number."""
        if self.stored:
            found = KNOWN_TABLES[self.name].load(run.data, self.labels)
        else:
            seed = {"seed": run.seed + number} if self.name in _GENERATED else {}
            found = load(self.name, **self.options, **seed)
        found = self._with_own_columns(found)
        X, y = found.X, found.y
        if self.part != "all":
            rows = KNOWN_TABLES[self.name].training_rows(run.data) == (self.part == "train")
            X, y = X[rows], y[rows]
        if self.rare_values:
            counts = np.array([_number_of_equals(column) for column in X.T])
            rows = np.flatnonzero((counts >= self.rare_values).all(axis=0))
            X, y = X[rows], y[rows]
        for name, classes in (self.merge or {}).items():
            y = np.where(np.isin(y, classes), name, y)
        if self.min_rows:
            classes, counts = np.unique(y, return_counts=True)
            rows = np.flatnonzero(np.isin(y, classes[counts >= self.min_rows]))
            X, y = X[rows], y[rows]
        if self.missing == "median":
            X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        elif self.missing == "drop":
            rows = np.flatnonzero(~np.isnan(X).any(axis=1))
            X, y = X[rows], y[rows]
        if self.hide:
            rows = hide_class(y, share=self.hide, seed=run.seed)
            X, y = X[rows], y[rows]
        if self.states == "mean":
            X = np.where(X.mean(axis=0) < X, 1.0, -1.0)
        elif self.states == "sigma":
            apart = X - X.mean(axis=0)
            X = np.sign(apart) * (np.abs(apart) > X.std(axis=0, ddof=1))
        if self.noisy:
            random = np.random.default_rng([run.seed, len(y)])
            # Drawn alike for the training and the test part, so that both have the same columns of noise.
            chosen = np.random.default_rng(run.seed).permutation(X.shape[1])[: round(self.noisy * X.shape[1])]
            X = X.copy()
            X[:, chosen] = random.permuted(X[:, chosen], axis=0)
        if self.shuffle:
            y = np.random.default_rng([run.seed, number]).permutation(y)
        return replace(found, X=X, y=y)

    def _with_own_columns(self, found: Dataset) -> Dataset:
        unknown = set(self.without) - set(found.feature_names)
        if unknown:
            raise InvalidInput(f"The table {self.name} has no column {min(unknown)!r} that could be left out.")
        is_kept = ~np.isin(found.feature_names, self.without)
        if self.shared_terms == "drop":
            is_kept &= np.asarray((found.X != 0).sum(axis=0)).ravel() < found.X.shape[0]
        if is_kept.all():
            return found
        columns = np.flatnonzero(is_kept)
        return replace(found, X=found.X[:, columns], feature_names=[found.feature_names[at] for at in columns])


def _number_of_equals(column: Floats) -> Integers:
    """For each value of a column, how many rows have it."""
    _, at, counts = np.unique(column, return_inverse=True, return_counts=True)
    numbers: Integers = counts[at]
    return numbers


_GENERATED = frozenset({"synthetic-1", "52-features", "toy-xyz"})

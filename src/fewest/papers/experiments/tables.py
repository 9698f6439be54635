"""The table of an experiment: bundled, generated or stored, with what the paper does to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from fewest.datasets import Dataset, hide_class, load, names
from fewest.papers.declarations import Run
from fewest.papers.experiments.known_tables import KNOWN_TABLES


@dataclass(frozen=True)
class Table:
    """A table by its name, and what is done to it before anything is split.

    name : of a bundled data set, a generator, or a stored table
    options : of a generator
    missing : missing values are kept, replaced by the median of their column, or their rows are left out
    hide : the share of the smallest class that is left out
    shuffle : give the labels to the rows at random: a control, in which nothing can be found
    """

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    missing: Literal["keep", "median", "drop"] = "keep"
    hide: float = 0.0
    shuffle: bool = False

    @property
    def stored(self) -> tuple[str, ...]:
        """Its name, where it is a stored table."""
        return () if self.name in names() else (self.name,)

    def load(self, run: Run, number: int = 0) -> Dataset:
        """The table; a generator draws its rows with the seed of the run plus the number."""
        if self.stored:
            found = KNOWN_TABLES[self.name].load(run.data)
        else:
            seed = {"seed": run.seed + number} if self.name in _GENERATED else {}
            found = load(self.name, **self.options, **seed)
        X, y = found.X, found.y
        if self.missing == "median":
            X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        elif self.missing == "drop":
            rows = np.flatnonzero(~np.isnan(X).any(axis=1))
            X, y = X[rows], y[rows]
        if self.hide:
            rows = hide_class(y, share=self.hide, seed=run.seed)
            X, y = X[rows], y[rows]
        if self.shuffle:
            y = np.random.default_rng([run.seed, number]).permutation(y)
        return replace(found, X=X, y=y)


_GENERATED = frozenset({"synthetic-1", "52-features", "toy-xyz"})

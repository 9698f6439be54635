"""The procedure whose error is promised: method, classifier and size, chosen by inner folds without the test rows.

It is run in every split, which gives its nested error, and on all rows, which gives the recommendation. All features
are evaluated by the same rule, with the classifier chosen by inner folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewest.arrays import Floats, Indices, Integers
from fewest.evaluation.results import InnerRecord, MethodResult, Selected, TableResult

#: Losses are compared after rounding to this number of digits: the same share comes out of different sums.
_DIGITS = 12


def choose(losses: Sequence[float], sizes: Sequence[int]) -> int:
    """The index of the candidate with the least loss in the inner folds; of equals that of the fewest features, then
    the first.

    losses : NaN where there were no inner folds, and then the first is taken
    """
    if np.isnan(losses).any():
        return 0
    order = np.lexsort(np.array([sizes, np.round(losses, _DIGITS)]))
    return int(order[0])


@dataclass(frozen=True)
class Pair:
    """A method with a classifier."""

    method: MethodResult
    classifier: str

    @property
    def on_all_rows(self) -> InnerRecord:
        """What the inner folds of all rows say of it."""
        assert self.method.whole is not None
        return self.method.whole["choices"][self.classifier]


@dataclass(frozen=True)
class Run:
    """What the procedure did in every split.

    pairs : the index of the pair that was chosen in each split
    size_indices : the index of its size among those tried
    losses : the loss on the test rows
    subsets : the features that were chosen
    confusion : rows of each class (a row) predicted as each class (a column), all splits together
    """

    pairs: tuple[int, ...]
    size_indices: tuple[int, ...]
    losses: Floats
    subsets: tuple[list[int], ...]
    confusion: Integers


@dataclass(frozen=True)
class Procedure:
    """Choose one of some pairs of method and classifier, and its size, by inner folds.

    sizes : the numbers of features that were tried
    """

    pairs: tuple[Pair, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(
        cls, table: TableResult, classifiers: Sequence[str], methods: Sequence[MethodResult] | None = None
    ) -> Procedure:
        """Every method that did not fail, or these, with every classifier."""
        own = table.completed if methods is None else methods
        return cls(tuple(Pair(method, classifier) for method in own for classifier in classifiers), table.sizes)

    @cached_property
    def is_choosing_inside(self) -> bool:
        """Whether every split, and all rows, had inner folds to choose by, or there is one pair only.

        Without them the first pair is taken everywhere, so that what is evaluated is what is recommended.
        """
        if len(self.pairs) == 1:
            return True
        inside = (pair.method.inner_errors(pair.classifier) for pair in self.pairs)
        is_known = not any(np.isnan(losses).any() for losses in inside)
        return is_known and all(pair.on_all_rows["inner"] is not None for pair in self.pairs)

    def on_all_rows(self) -> tuple[Pair, int]:
        """The pair that is chosen on all rows, and the index of its size."""
        records = [pair.on_all_rows for pair in self.pairs]
        losses = [np.nan if one["inner"] is None else one["inner"][one["chosen"]] for one in records]
        best = self._choose(losses, [one["chosen"] for one in records])
        return self.pairs[best], records[best]["chosen"]

    def run(self, which: Selected = "results") -> Run:
        """What it chooses in every split without the test rows, and the loss on them."""
        inner = np.array([pair.method.inner_errors(pair.classifier, which) for pair in self.pairs])
        chosen = np.array([pair.method.chosen(pair.classifier, which) for pair in self.pairs])
        losses = np.array([pair.method.nested_errors(pair.classifier, which) for pair in self.pairs])
        splits = range(inner.shape[1])
        best = [self._choose(inner[:, split].tolist(), chosen[:, split].tolist()) for split in splits]
        sizes = [int(chosen[pair, split]) for split, pair in enumerate(best)]
        picked = [self.pairs[pair] for pair in best]
        trials = [pair.method.trials[split] for split, pair in enumerate(picked)]
        records = [pair.method.record(pair.classifier, split, which) for split, pair in enumerate(picked)]
        confusion = np.array([record["confusion"][size] for record, size in zip(records, sizes, strict=True)])
        return Run(
            pairs=tuple(best), size_indices=tuple(sizes), losses=losses[best, np.arange(len(best))],
            subsets=tuple(trial["path"][size] for trial, size in zip(trials, sizes, strict=True)),
            confusion=confusion.sum(axis=0),
        )  # fmt: skip

    def _choose(self, losses: Sequence[float], size_indices: Sequence[int]) -> int:
        if not self.is_choosing_inside:
            return 0
        return choose(losses, [self.sizes[index] for index in size_indices])


def all_features_losses(table: TableResult, classifiers: Sequence[str]) -> Floats | None:
    """By split, the loss with all features and the classifier that inner folds choose; None if it was not measured."""
    if not table.baselines:
        return None
    found = []
    for record in table.baselines:
        results = [record["results"][classifier] for classifier in classifiers]
        inner = [np.nan if one["inner"] is None else one["inner"] for one in results]
        found.append(results[choose(inner, [0] * len(inner))]["loss"])
    return np.array(found)


def median_index(size_indices: Sequence[int]) -> int:
    """The index of the median of the sizes, the lower of the two in the middle."""
    ordered: Indices = np.sort(np.asarray(size_indices, dtype=np.intp))
    return int(ordered[(len(ordered) - 1) // 2])

"""Which features, how many, by which method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest.arrays import Floats
from fewest.evaluation.comparison import MethodResult, TableResult
from fewest.evaluation.testing.intervals import Estimate


@dataclass(frozen=True)
class Recommendation:
    """The method and classifier that err least on rows not seen, and what the method takes of all rows.

    place : which of the sizes: that in the middle of those chosen inside the splits
    columns : the features of that size, selected on all rows
    fixed : its error, with the size chosen inside each split; as the least of several it flatters
    chosen : the honest error, with method and classifier chosen inside each split too; None where a split was too small
        for inner folds to choose by
    n_pairs : of how many pairs of method and classifier it is the best
    """

    result: MethodResult
    classifier: str
    place: int
    columns: tuple[int, ...]
    fixed: Estimate
    chosen: Estimate | None
    n_pairs: int

    @property
    def estimate(self) -> Estimate:
        """The error to expect, as far as it is known."""
        return self.chosen or self.fixed

    @property
    def method(self) -> str:
        return self.result.name


def recommend(table: TableResult, classifiers: Sequence[str], size: int | None = None) -> Recommendation | None:
    """The least error; of equals the fewest features, then the first named. None where nothing was done.

    size : how many features are wanted; None leaves that to the splits
    """
    best: tuple[float, int] | None = None
    found = None
    pairs = [(method, classifier) for method in table.done for classifier in classifiers]
    for method, classifier in pairs:
        assert method.whole is not None
        place = table.place_of(method, classifier) if size is None else _nearest(table.sizes, size)
        errors = method.nested(classifier)
        key = (round(float(errors.mean()), 12), table.sizes[place])
        if best is None or key < best:
            best = key
            columns = tuple(method.whole["path"][place])
            found = Recommendation(method, classifier, place, columns, table.estimate(errors), None, len(pairs))
    if found is None or (errors_inside := _chosen_inside(table, pairs)) is None:
        return found
    return replace(found, chosen=table.estimate(errors_inside))


def _chosen_inside(table: TableResult, pairs: Sequence[tuple[MethodResult, str]]) -> Floats | None:
    """By split, the error of the pair that erred least in the inner folds there; of equals that with the fewest
    features, then the first. None where there were no inner folds."""
    if len(pairs) == 1:
        return pairs[0][0].nested(pairs[0][1])
    errors = np.array([method.nested(classifier) for method, classifier in pairs])
    promised = np.array([method.promised(classifier) for method, classifier in pairs])
    if np.isnan(promised).any():
        return None
    sizes = np.array([np.array(table.sizes)[method.chosen(classifier)] for method, classifier in pairs])
    order = np.lexsort((sizes, np.round(promised, 12)), axis=0)
    found: Floats = errors[order[0], np.arange(errors.shape[1])]
    return found


def _nearest(sizes: Sequence[int], size: int) -> int:
    """The place of the largest size that is not above this."""
    return max((place for place, known in enumerate(sizes) if known <= size), default=0)

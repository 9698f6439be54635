"""The recommendation: which features, how many, by which method."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest.arrays import Floats
from fewest.evaluation.results import MethodResult, TableResult
from fewest.summary import Estimate


@dataclass(frozen=True)
class Recommendation:
    """The method and classifier with the least nested cross-validated error, and the features selected on all rows.

    size_index : index of the size among those tried: the median of the sizes chosen inside the splits
    columns : the features of that size, selected on all rows
    fixed : the error with the size chosen inside each split; as the least of several errors it is optimistic
    chosen : the error with method and classifier chosen inside each split too; None where a split was too small for
        inner folds
    n_pairs : the number of pairs of method and classifier that were compared
    """

    result: MethodResult
    classifier: str
    size_index: int
    columns: tuple[int, ...]
    fixed: Estimate
    chosen: Estimate | None
    n_pairs: int

    @property
    def estimate(self) -> Estimate:
        """The error to expect; that of the fixed pair where the choice could not be evaluated."""
        return self.chosen or self.fixed

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.result.name


def recommend(table: TableResult, classifiers: Sequence[str], size: int | None = None) -> Recommendation | None:
    """Find the least error; ties go to fewer features, then to the first named. None where no method was evaluated.

    size : the requested number of features; None takes the median of the sizes chosen inside the splits
    """
    # The largest of the sizes tried that does not exceed the requested one.
    requested = None if size is None else max(bisect(table.sizes, size) - 1, 0)
    best: tuple[float, int] | None = None
    found = None
    pairs = [(method, classifier) for method in table.completed for classifier in classifiers]
    for method, classifier in pairs:
        assert method.whole is not None
        index = table.median_size_index(method, classifier) if requested is None else requested
        errors = method.nested_errors(classifier)
        key = (round(float(errors.mean()), 12), table.sizes[index])
        if best is None or key < best:
            best = key
            columns = tuple(method.whole["path"][index])
            found = Recommendation(method, classifier, index, columns, table.estimate(errors), None, len(pairs))
    if found is None or (errors_inside := _errors_of_inner_choice(table, pairs)) is None:
        return found
    return replace(found, chosen=table.estimate(errors_inside))


def _errors_of_inner_choice(table: TableResult, pairs: Sequence[tuple[MethodResult, str]]) -> Floats | None:
    """By split, the error of the pair with the least error in the inner folds; ties go to fewer features, then to the
    first. None where there were no inner folds."""
    if len(pairs) == 1:
        return pairs[0][0].nested_errors(pairs[0][1])
    errors = np.array([method.nested_errors(classifier) for method, classifier in pairs])
    inner = np.array([method.inner_errors(classifier) for method, classifier in pairs])
    if np.isnan(inner).any():
        return None
    sizes = np.array([np.array(table.sizes)[method.chosen(classifier)] for method, classifier in pairs])
    order = np.lexsort((sizes, np.round(inner, 12)), axis=0)
    found: Floats = errors[order[0], np.arange(errors.shape[1])]
    return found

"""Which features, how many, by which method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewest.evaluation.comparison import MethodResult, TableResult
from fewest.evaluation.intervals import Estimate


@dataclass(frozen=True)
class Recommendation:
    """The method and classifier that err least on rows not seen, and what the method takes of all rows.

    place : which of the sizes the rule takes over all splits
    columns : the features of that size, selected on all rows
    estimate : the honest error, with the size chosen inside each split
    """

    result: MethodResult
    classifier: str
    place: int
    columns: tuple[int, ...]
    estimate: Estimate

    @property
    def method(self) -> str:
        return self.result.name


def recommend(
    table: TableResult, classifiers: Sequence[str], rule: str, size: int | None = None
) -> Recommendation | None:
    """The least honest error; of equals the fewest features, then the first named. None where nothing was done.

    size : how many features are wanted; None where the rule decides
    """
    best: tuple[float, int] | None = None
    found = None
    for method in table.done:
        assert method.whole is not None
        for classifier in classifiers:
            place = table.place_of(method, classifier, rule) if size is None else _nearest(table.sizes, size)
            errors = method.nested(classifier)
            key = (round(float(errors.mean()), 12), table.sizes[place])
            if best is None or key < best:
                best = key
                columns = tuple(method.whole["path"][place])
                found = Recommendation(method, classifier, place, columns, table.estimate(errors))
    return found


def _nearest(sizes: Sequence[int], size: int) -> int:
    """The place of the largest size that is not above this."""
    return max((place for place, known in enumerate(sizes) if known <= size), default=0)

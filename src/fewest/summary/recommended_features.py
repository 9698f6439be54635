"""The recommended features: how often chosen, and what could take the place of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from fewest.summary.certificates import Certificate
from fewest.summary.method_results import Estimate


@dataclass(frozen=True)
class Swap:
    """Another column in the place of a feature, and the error of the recommended features with it."""

    feature: str
    error: float


@dataclass(frozen=True)
class Similar:
    """The column most like a feature, from -1 to 1: their correlation, or an association where one holds categories."""

    feature: str
    correlation: float


@dataclass(frozen=True)
class RecommendedFeature:
    """A recommended feature.

    frequency : the share of the splits in which it was chosen
    error_without : the error of the other recommended features, in the folds of RecommendedSubset.fold_error
    swap : the best of the columns that were tried in its place, in the same folds; None where none was tried
    similar : the column most like it, of all columns
    """

    name: str
    score: float | None
    frequency: float | None
    error_without: float | None = None
    swap: Swap | None = None
    similar: Similar | None = None


@dataclass(frozen=True)
class RecommendedSubset(Estimate):
    """What the procedure chooses on all rows, and the nested error of that procedure over the splits.

    The procedure: method, classifier and size by inner folds. Where it does not beat guessing, there are no features
    to recommend: `features` is empty, size is 0, and the sentence says so.

    choice : what choosing among several methods and classifiers means for the error
    certificate : what is proved of these features
    beats_guessing : whether the whole interval of the error lies below the no-information rate
    notes : what else is to be known, a sentence each: features that are not stable, a size at the edge of those tried
    stable : the features that were chosen in at least half of the splits
    fold_error : the error of these features in the inner folds of all rows, which also chose them: it is optimistic,
        and is there for error_without and swap to be compared with
    replacement : a sentence where one column is the best swap of most features
    """

    method: str
    classifier: str
    size: int
    sentence: str
    choice: str | None
    certificate: Certificate | None
    features: Sequence[RecommendedFeature]
    beats_guessing: bool = True
    notes: Sequence[str] = ()
    stable: Sequence[str] = ()
    fold_error: float | None = None
    replacement: str | None = None


@dataclass(frozen=True)
class Substitute:
    """What is lost without a recommended feature, and what could take its place: as in RecommendedFeature."""

    error_without: float | None = None
    swap: Swap | None = None
    similar: Similar | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        swap, similar = content["swap"], content["similar"]
        return cls(content["error_without"], Swap(**swap) if swap else None, Similar(**similar) if similar else None)


@dataclass(frozen=True)
class Substitutes:
    """The substitutes of the recommended features, by column number, in the inner folds of all rows.

    fold_error : the error of the recommended features in these folds, which also chose them
    replacement : a sentence where one column is the best swap of most features
    """

    fold_error: float | None
    by_column: Mapping[str, Substitute]
    replacement: str | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` made."""
        known = {column: Substitute.from_dict(one) for column, one in content["by_column"].items()}
        return cls(content["fold_error"], known, content["replacement"])

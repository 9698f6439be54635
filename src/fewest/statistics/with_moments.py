"""What statistics share that keep class moments beside what is their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fewest.arrays import Codes, Mask
from fewest.statistics.class_moments import ClassMoments


class WithMoments:
    """A statistic that knows its data by their moments."""

    def __init__(self, moments: ClassMoments | None = None) -> None:
        """moments : of the same rows, where they are known beforehand"""
        self.moments = ClassMoments() if moments is None else moments

    @property
    def n_features(self) -> int:
        return self.moments.n_features

    @property
    def classes(self) -> list[Any]:
        """The labels, in the order of their codes."""
        return self.moments.classes

    def class_indices(self, labels: Sequence[object]) -> Codes:
        """Return the index of each label among the classes."""
        indices = {label: index for index, label in enumerate(self.classes)}
        return np.array([indices[label] for label in labels], dtype=np.int32)

    @property
    def n_rows(self) -> int:
        return self.moments.n_rows

    @property
    def is_observed(self) -> Mask:
        """Which columns hold a value at all."""
        return self.moments.is_observed

    def counts_by_class(self) -> dict[str, int]:
        """Rows in each class, in the order of the labels."""
        return self.moments.counts_by_class()

    def fingerprint(self) -> str:
        """A hash of labels and values that depends on neither the order of the rows nor how they are stored."""
        return self.moments.fingerprint()

    def join(self, parts: Sequence[Self]) -> Self:
        """What a statistic has of its own that is_columnwise; the others are collected with all columns at once."""
        raise NotImplementedError("columns meet in this statistic, so it is never collected in groups of columns")

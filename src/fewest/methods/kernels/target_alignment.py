"""How much a kernel on features is like the kernel that knows the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.class_form import ClassForm
from fewest.methods.kernels.kernel_subsets import KernelSubsets
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale


class TargetAlignmentObjective(KernelSubsets):
    """The alignment of columns and of sets."""

    def __init__(self, rows: Rows, scale: str | None) -> None:
        super().__init__(rows, scale)
        self._is_two_classes = np.count_nonzero(np.bincount(rows.codes, rows.weights)) == 2

    def forms(self, class_weight: Floats) -> Sequence[ClassForm]:
        """<K, T> / |T| and |K|^2, the sum of K at half the squared width."""
        n = class_weight.sum(axis=-1, keepdims=True)
        if self._is_two_classes:
            own, every = np.full_like(class_weight, 2.0), np.full_like(class_weight, -0.5)
        else:
            own = np.ones_like(class_weight)
            every = 0.5 * np.square(class_weight / n).sum(axis=-1, keepdims=True) - class_weight / n
        target = own[..., :, None] * np.eye(class_weight.shape[-1]) + every[..., :, None] + every[..., None, :]
        squares = class_weight[..., :, None] * class_weight[..., None, :] * np.square(target)
        length = np.sqrt(squares.sum(axis=(-2, -1)))[..., None]
        # No class but one has a row that has the column: then nothing can be aligned with it.
        inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
        return [
            ClassForm(own * inverse, every * inverse),
            ClassForm(np.zeros_like(own), np.full_like(own, 0.5), sharpness=2),
        ]

    def worth(self, sums: Sequence[Floats]) -> Floats:
        along, square = sums
        alignment: Floats = along / np.sqrt(square)
        return alignment


@dataclass(frozen=True)
class TargetAlignment:
    """How much a Gaussian kernel on features is like the kernel that knows the classes.

    <K, T> / |K| |T|, which lies between -1 and 1. T = yy' for two classes, with labels of -1 and 1; for more it is 1
    for rows of the same class and 0 for others, centred. The width is whatever makes the most of the features, as in
    KernelScatter. A set in which nothing varies is worth 0.

    scale : as in ScatterTrace

    Needs Rows. Columns by themselves go by the rows that have them; sets need rows without gaps.
    Cristianini et al., On kernel-target alignment; Wang, Feature selection with kernel class separability, Eq. 18.
    """

    scale: str | None = "symmetric"

    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_subset", "score_additions", "score_removals"}
    )

    def __post_init__(self) -> None:
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> TargetAlignmentObjective:
        return TargetAlignmentObjective(rows, self.scale)

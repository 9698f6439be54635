"""Kernel-target alignment: the cosine between a kernel's matrix and that of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.methods.kernels.gaussian_sums import ClassPairSum
from fewest.methods.kernels.kernel_objective import GaussianObjective
from fewest.statistics.class_moments import check_scale
from fewest.statistics.rows import Rows


class TargetAlignmentObjective(GaussianObjective):
    """<K, T> / |K| |T| of columns and subsets; T = yy' for two classes, else the centred matrix of equal classes."""

    def __init__(self, rows: Rows, scale: str | None) -> None:
        super().__init__(rows, scale)
        self._is_two_classes = np.count_nonzero(np.bincount(rows.codes, rows.weights)) == 2

    def class_pair_sums(self, class_weight: Floats) -> Sequence[ClassPairSum]:
        """Return <K, T> / |T| and |K|^2, the sum of the squared kernel."""
        n = class_weight.sum(axis=-1, keepdims=True)
        if self._is_two_classes:
            same, every = np.full_like(class_weight, 2.0), np.full_like(class_weight, -0.5)
        else:
            same = np.ones_like(class_weight)
            every = 0.5 * np.square(class_weight / n).sum(axis=-1, keepdims=True) - class_weight / n
        target = same[..., :, None] * np.eye(class_weight.shape[-1]) + every[..., :, None] + every[..., None, :]
        squares = class_weight[..., :, None] * class_weight[..., None, :] * np.square(target)
        length = np.sqrt(squares.sum(axis=(-2, -1)))[..., None]
        # 0 where only one class has rows with the column: then nothing is aligned with it.
        inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
        square = ClassPairSum(np.zeros_like(same), np.full_like(same, 0.5), power=2)
        return [ClassPairSum(same * inverse, every * inverse), square]

    def value(self, sums: Sequence[Floats]) -> Floats:
        product, square = sums
        alignment: Floats = product / np.sqrt(square)
        return alignment


@dataclass(frozen=True)
class TargetAlignment:
    """Score features by the alignment of a Gaussian kernel with the classes.

    <K, T> / |K| |T|, which lies between -1 and 1. T = yy' for two classes, with labels of -1 and 1; for more it is 1
    for rows of the same class and 0 for others, centred. The width is the one with the highest alignment, as in
    KernelScatter. A subset in which no column varies has the value 0.

    Parameters
    ----------
    scale : {"std", "range", "symmetric"} or None, default="symmetric"
        As in ScatterTrace.

    See Also
    --------
    KernelAlignment : The selector with this criterion.
    KernelScatter : The scatter between the classes, without the length of the kernel.

    Notes
    -----
    Needs Rows. A single column uses the rows that have it; subsets need complete rows.

    References
    ----------
    Cristianini, Shawe-Taylor, Elisseeff, Kandola, 2001. On Kernel-Target Alignment. NIPS.
    Wang, 2008. Feature Selection with Kernel Class Separability, Eq. 18. https://doi.org/10.1109/TPAMI.2007.70799
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

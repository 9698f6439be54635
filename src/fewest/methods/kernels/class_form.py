"""Sums over pairs of rows in which a pair counts by the classes of its two rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Floats


@dataclass(frozen=True)
class ClassForm:
    """constant + sum_ij T(c_i, c_j) K_ij, where T(a, b) = [a = b] own_a + all_a + all_b.

    own, all : (..., n_classes), one form or many
    sharpness : the kernel is that of the width in question to this power; 2 for the squares of K
    """

    own: Floats
    all: Floats
    constant: float = 0.0
    sharpness: int = 1

    def of_sums(self, own_sums: Floats, all_sums: Floats) -> Floats:
        """From the sums of K within each class, and of each class with all rows."""
        value: Floats = self.constant + (self.own * own_sums + 2.0 * self.all * all_sums).sum(axis=-1)
        return value

    @property
    def table(self) -> Floats:
        """T, classes by classes."""
        return np.diag(self.own) + self.all[:, None] + self.all[None, :]

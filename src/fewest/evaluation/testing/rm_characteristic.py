"""Whether one method's features beat another's at nearly every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fewest.errors import InvalidInput
from fewest.evaluation.design.checked_arrays import check_names, finite_array
from fewest.evaluation.testing.paired_test import TWO
from fewest.evaluation.testing.ranks import TIE


@dataclass(frozen=True)
class RMCharacteristic:
    """How consistently the first method's features err less than as many of the second's.

    rho : share of sizes at which the first errs less, strictly; 1 is "recursively more characteristic"
    sizes : the sizes compared
    """

    first: str
    second: str
    rho: float
    n_smaller: int
    sizes: tuple[int, ...]

    def sentence(self) -> str:
        """What was found, in plain words."""
        return (
            f"{self.first} errs less than {self.second} at {self.n_smaller} of {len(self.sizes)} sizes "
            f"from {self.sizes[0]} to {self.sizes[-1]} (rho = {self.rho:.2f})"
        )


def rm_characteristic(
    first_errors: Mapping[int, float],
    second_errors: Mapping[int, float],
    smallest: int | None = None,
    largest: int | None = None,
    names: Sequence[str] = TWO,
) -> RMCharacteristic:
    """rho = share of sizes k with e1_k < e2_k, strictly, over the sizes that both have within the range.

    Errors that are equal but for rounding (1e-12) are equal, and count for neither: rho of the second against the
    first need not be 1 - rho. It serves first-stage paths and the subsets of a wrapper alike.

    Parameters
    ----------
    first_errors, second_errors : {number of features: error}
    smallest, largest : int, default=None
        The range of sizes, both included; None: all that both have.
    names : two names
        What the methods are called in the sentence.

    References
    ----------
    Peng, Long and Ding, Feature selection based on mutual information, Section 3.3: rho of 0.9 and above makes the
    first approximately RM-characteristic.
    """
    name_first, name_second = check_names(names, 2)
    sizes = sorted(
        size
        for size in first_errors.keys() & second_errors.keys()
        if (smallest is None or size >= smallest) and (largest is None or size <= largest)
    )
    if not sizes:
        raise InvalidInput("The two methods have no size in common within the range. Measure both at the same sizes.")
    first = finite_array("first_errors", [first_errors[size] for size in sizes])
    second = finite_array("second_errors", [second_errors[size] for size in sizes])
    n_smaller = int(np.count_nonzero(second - first > TIE))
    return RMCharacteristic(name_first, name_second, n_smaller / len(sizes), n_smaller, tuple(sizes))

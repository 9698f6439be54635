"""rho: at how many sizes one method's features err less."""

import numpy as np
import pytest

from fewest.errors import InvalidInput
from fewest.evaluation.testing.significance import rm_characteristic

FIRST = {1: 0.30, 2: 0.20, 3: 0.10, 4: 0.10, 5: 0.05}
SECOND = {1: 0.30, 2: 0.25, 3: 0.08, 4: 0.15, 6: 0.01}


def test_an_example_by_hand():
    """Of the sizes 1 to 4 the first errs less at 2 and 4; at 1 they are equal, 5 and 6 only one has."""
    found = rm_characteristic(FIRST, SECOND, names=("mrmr", "max-relevance"))
    assert found.sizes == (1, 2, 3, 4)
    assert found.rho == 0.5
    assert found.sentence() == "mrmr errs less than max-relevance at 2 of 4 sizes from 1 to 4 (rho = 0.50)"


def test_equal_errors_count_for_neither():
    assert rm_characteristic(SECOND, FIRST).rho == 0.25
    assert rm_characteristic({1: 0.3}, {1: 0.1 + 0.2}).rho == 0
    assert rm_characteristic(FIRST, FIRST).rho == 0


def test_the_range_includes_both_ends():
    assert rm_characteristic(FIRST, SECOND, smallest=2, largest=2).rho == 1
    assert rm_characteristic(FIRST, SECOND, smallest=2).sizes == (2, 3, 4)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(InvalidInput, match="no size in common"):
        rm_characteristic({1: 0.1}, {2: 0.1})
    with pytest.raises(InvalidInput, match="no size in common"):
        rm_characteristic({}, {})
    with pytest.raises(InvalidInput, match="second_errors holds nan"):
        rm_characteristic({1: 0.1}, {1: np.nan})

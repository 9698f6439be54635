"""Rows in parts: partial_fit of selectors whose statistic takes a few numbers a column."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from fewest.protocols import Evidence
from fewest.selectors.input import to_source
from fewest.selectors.search_space import SearchSpace

if TYPE_CHECKING:
    from fewest.selectors.selector import Selector


def has_partial_fit(selector: Selector) -> bool:
    """Whether partial_fit is there: a size chosen by cross-validation needs all rows at once."""
    selector._check_partial_fit()
    selector._check_tests_of_parts()
    if hasattr(selector, "support_") and getattr(selector, "_statistic", None) is None:
        raise AttributeError(
            f"This {type(selector).__name__} was fitted at once, and what adding rows needs was not kept: it is too "
            "large. Give all rows by partial_fit, from the first on."
        )
    return True


def add_rows(selector: Selector, X: object, y: object, sample_weight: object) -> None:
    """Add rows, given as to fit, and select anew where two classes were seen."""
    started = time.perf_counter()
    criterion, search = selector._checked_sentence()
    so_far: Evidence | None = getattr(selector, "_statistic", None)
    # Text is refused here: the code of a category in one part would be another's in the next.
    source = to_source(selector, X, y, sample_weight, is_new=so_far is None)
    space = selector._space = SearchSpace.of(selector)
    source = space.only(source)
    selector._check_columns(criterion, source.n_features)
    statistic = criterion.statistic() if so_far is None else so_far
    statistic.merge(source.collect(criterion.statistic(), is_part=True))
    selector._statistic = statistic  # the next call goes on from here
    if np.count_nonzero(list(statistic.counts_by_class().values())) >= 2:
        selector._select(statistic, (criterion, search), selector._size(space), started)

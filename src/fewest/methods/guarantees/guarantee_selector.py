"""The base of selectors around another one, about whose selections they guarantee something."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from sklearn.base import clone

from fewest.data.source import Source
from fewest.methods.guarantees.inner_selector import check_constraints_of, fit_without_forbidden
from fewest.parameters import is_auto
from fewest.protocols import Sentence
from fewest.selectors.input import to_source
from fewest.selectors.row_selector import RowSelector
from fewest.selectors.search_space import SearchSpace
from fewest.selectors.selector import Selector
from fewest.unexpected import PublicEntry


@dataclass(eq=False, repr=False)
class GuaranteeSelector(RowSelector):
    """Base of selectors around another one, which has the parameters that they have no use for.

    Parameters
    ----------
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        Where not "auto", the scale of `selector`.
    estimator : classifier, str or None, default=None
        Without effect, as are cv, max_features, rule and scoring: set those of `selector`.
    cv : object, default=5
        Without effect.
    max_features : int, default=50
        Without effect.
    rule : str, default="1se"
        Without effect.
    scoring : object, default=None
        Without effect.
    """

    selector: Selector | str | None = None

    @abstractmethod
    def _inner(self) -> Selector:
        """Return a copy of the selector, with its parameters checked as far as they matter here."""

    @abstractmethod
    def _fit_all(self, source: Source, groups: object, started: float) -> None:
        """Fit on all columns of a source, none of them forbidden.

        started : when the fit began, as of time.perf_counter
        """

    def sentence(self) -> Sentence:
        return self._inner().sentence()

    def _checked_inner_sentence(self) -> Sentence:
        inner = self._inner()
        check_constraints_of(self, inner)
        self._check_tests(None)
        return inner._checked_sentence()

    def _chooses_size(self) -> bool:
        return self.n_features is None or is_auto(self.n_features)

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        own: Self = clone(self).set_params(n_features=max(sizes))
        return own

    def fit(self, X: object, y: object = None, sample_weight: object = None, groups: object = None) -> Self:
        """Fit as the guarantee needs it."""
        with PublicEntry(f"{type(self).__name__}.fit", X=X, y=y, sample_weight=sample_weight, selector=self):
            started = time.perf_counter()
            self._checked_sentence()
            source = to_source(self, X, y, sample_weight, is_new=True, takes_text=True)
            space = SearchSpace.of(self)
            if space.is_all:
                self._fit_all(source, groups, started)
            else:
                fit_without_forbidden(self, space, source, groups)
        return self

"""TwoStage: candidates by one selector, the features among them by another."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from fewest.arrays import Indices
from fewest.constraints.constraint_parameters import NAMES as CONSTRAINTS
from fewest.data.source import Source
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter
from fewest.parameters import check_choice, is_auto
from fewest.protocols import Sentence
from fewest.selectors.collection import DataFacts, check_rows, groups_of
from fewest.selectors.input import column_name, to_source
from fewest.selectors.registry import method_by_name
from fewest.selectors.row_selector import RowSelector
from fewest.selectors.search_space import SearchSpace, constraint_parameters
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import RULES, check_sample, check_verbose, resolve_size
from fewest.unexpected import PublicEntry

#: Parameters passed to both stages where they are set.
_SHARED = ("estimator", "cv", "max_features", "random_state", "scoring")
#: Constraints that the candidates obey; those on the number and the costs of features are the second stage's.
_OF_CANDIDATES = ("keep", "forbid", "column_groups")
#: Warnings and notes of the first stage that the second need not repeat.
_NOTED_ONCE = ".*(hold no value at all|classes in .* rows: )"


@dataclass(eq=False, repr=False)
class TwoStage(RowSelector):
    """Select candidates by one selector, then features among them by another.

    The first stage ranks up to `max_features` columns; each size is evaluated by cross-validation that selects anew in
    every fold. Of the range of sizes where the error is small and steady, the smallest at the least error is taken.

    Parameters
    ----------
    first : selector, str or None, default=None
        The selector of the candidates, or the name of a method; None is MRMR(). Its n_features, if a number, or its
        threshold decides the number of candidates.
    second : selector, str or None, default=None
        The selector among the candidates, or the name of a method; None is Wrapper(). Ties go to the better ranked.
    n_features : int, float, "auto" or None, default=None
        The number of features to select, or their share of all columns; None leaves it to `second`.
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        Where not "auto", the scale of both stages.
    rule : {"1se", "min", "stable"}, default="1se"
        Without effect: the first stage uses "stable".
    estimator : classifier, str or None, default=None
        Where given, that of both stages. Without it candidates are evaluated by that of `first`, or else of `second`.
    cv, max_features, random_state : object, default=None
        Where given, those of both stages.

    Attributes
    ----------
    candidates_ : ndarray of int
        The candidates' columns, best ranked first.
    candidate_errors_ : dict
        The cross-validated error of the first stage at each size; empty where it sets the number itself.
    first_, second_ : Selector
        The fitted selectors; the columns of `second_` are the candidates.
    scores_ : ndarray of shape (n_features_in_,)
        Those of the second stage; NaN for columns that are no candidates.

    See Also
    --------
    MRMR : The first stage by default.
    Wrapper : The second stage by default.

    References
    ----------
    Peng, Long, Ding, 2005. Feature Selection Based on Mutual Information: Criteria of Max-Dependency, Max-Relevance,
    and Min-Redundancy (Sec. 3). https://doi.org/10.1109/TPAMI.2005.159

    Examples
    --------
    >>> from fewest import MRMR, TwoStage, Wrapper
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> chosen = TwoStage(MRMR(), Wrapper(GaussianNB())).fit(X, y)
    >>> set(chosen.selection_.indices) <= set(chosen.candidates_.tolist())
    True
    """

    name: ClassVar[str] = "two-stage"
    summary: ClassVar[str] = "candidates by one method (mrmr), the features among them by another (wrapper)"
    formula: ClassVar[str] = "the first n* columns of one method, then another method among these"
    takes: ClassVar[str] = "what both methods take"
    proves: ClassVar[str] = "nothing"
    cost: ClassVar[str] = "both methods; the second sees the candidates only"

    first: Selector | str | None = None
    second: Selector | str | None = None
    _: KW_ONLY
    cv: object = None
    max_features: Any = None
    random_state: Any = None

    def sentence(self) -> Sentence:
        return self._stages()[0].sentence()

    def _checked_sentence(self) -> Sentence:
        check_sample(self.sample, self.cv)
        check_choice("rule", self.rule, RULES)
        check_verbose(self.verbose)
        self._check_tests(None)
        first, second = self._stages()
        second._checked_sentence()
        return first._checked_sentence()

    def _check_partial_fit(self) -> None:
        raise AttributeError("TwoStage needs all rows at once, to cross-validate the candidates. Use fit.")

    def fit(self, X: object, y: object = None, sample_weight: object = None, groups: object = None) -> Self:
        """Select candidates, and features among them."""
        with PublicEntry("TwoStage.fit", X=X, y=y, sample_weight=sample_weight, selector=self):
            started = time.perf_counter()
            self._checked_sentence()
            first, second = self._stages()
            source = self._sampled(to_source(self, X, y, sample_weight, is_new=True, takes_text=True))
            # Contradictions are refused by the names of the table, before there are candidates.
            self._space = SearchSpace.of(self)
            # The second stage keeps the rows of a column at least.
            check_rows(second.sentence()[0], source.only([0]))
            notes = list(self._sample_notes(source))
            first.fit(source, groups=groups)
            notes += [f"first stage ({first.name}): {note}" for note in first.notes_ if note not in notes]
            errors = {size: error for size, (error, _) in getattr(first, "size_curve_", {}).items()}
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", _NOTED_ONCE, FewestWarning)
                notes += self._resolve_size(first, second, source, groups)
                candidates = first.selection_.indices
                if not candidates:
                    message = "took no features, so there are no candidates. Lower its threshold."
                    raise InvalidInput(f"The first stage, {first!r}, {message}")
                second.set_params(**self._among(candidates))
                second.fit(source.only(list(candidates)), groups=groups_of(source, groups))
            notes += [f"second stage ({second.name}): {n}" for n in second.notes_ if not re.match(_NOTED_ONCE, n)]
            self.candidates_: Indices = np.array(candidates, dtype=np.intp)
            self.candidate_errors_: dict[int, float] = errors
            self.first_, self.second_ = first, second
            data = first.selection_.provenance
            assert data is not None
            facts = DataFacts(data.n_rows, data.class_counts, data.fingerprint)
            chosen = second.selection_.among_all(candidates, source.n_features)
            # What the second stage proves holds among the candidates only.
            is_optimal = None if chosen.is_optimal is None else False
            self._store_selection(
                replace(chosen, bound=None, is_optimal=is_optimal, breakpoints=(), proved_by="", tolerance=None),
                replace(self._provenance(started, facts, tuple(notes)), objective=second._objective_words()),
            )
        return self

    def _among(self, candidates: Sequence[int]) -> dict[str, object]:
        """Return the constraints on columns, where there are some, as those of the candidates."""
        requested = constraint_parameters(self)
        names = [column_name(self, column) for column in range(self.n_features_in_)]
        return {} if requested.are_none else requested.among(names, candidates).as_dict()

    def _resolve_size(self, first: Selector, second: Selector, source: Source, groups: object) -> list[str]:
        """Set the number of features of the second stage, and refit the first for as many candidates."""
        if self.n_features is None or is_auto(self.n_features):
            return []
        asked = resolve_size(self.n_features, self._space.n_units)
        size = self._space.limit_size(asked) or asked
        second.set_params(n_features=size)
        longer = clone(first).set_params(n_features=size)
        if first.n_features_ >= size or longer._chooses_size():
            return []
        first.set_params(n_features=size).fit(source, groups=groups)
        return [f"{size} features are asked for, so there are as many candidates"]

    def _stages(self) -> tuple[Selector, Selector]:
        """Return copies of both selectors with the shared parameters."""
        first, second = self._stage("first", self.first, "mrmr"), self._stage("second", self.second, "wrapper")
        for name in (name for name in CONSTRAINTS if getattr(self, name) is not None):
            second.set_params(**{name: getattr(self, name)})
            if name in _OF_CANDIDATES:
                first.set_params(**{name: getattr(self, name)})
        if self.n_features is not None:
            second.set_params(n_features=self.n_features)
        if first.estimator is None:
            first.set_params(estimator=second.estimator)
        if (first.n_features is None or is_auto(first.n_features)) and not first._chooses_size():
            first.set_params(n_features="auto", rule="stable")
        return first, second

    def _stage(self, role: str, selector: object, default: str) -> Selector:
        if selector is None or isinstance(selector, str):
            selector = method_by_name(selector or default)()
        if not isinstance(selector, Selector):
            raise InvalidParameter(
                f"{role} must be a selector such as {method_by_name(default).__name__}(), the name of a method, or "
                f"None, got {selector!r} instead."
            )
        stage: Selector = clone(selector)
        shared = {name: getattr(self, name) for name in _SHARED if getattr(self, name) is not None}
        scale = stage.scale if is_auto(self.scale) else self.scale
        stage.set_params(**shared, scale=scale, verbose=self.verbose or stage.verbose)
        return stage

"""Candidates by one selector, the features among them by another."""

from __future__ import annotations

import re
import time
import warnings
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from fewest.arrays import Indices
from fewest.data.source import Source
from fewest.errors import FewestWarning, InvalidInput, InvalidParameter
from fewest.parameters import check_choice
from fewest.protocols import Sentence
from fewest.selection import NestedPath, Selection
from fewest.selectors.evaluator import check_estimator
from fewest.selectors.input import to_source
from fewest.selectors.registry import method_by_name
from fewest.selectors.selector import Selector, takes_text
from fewest.selectors.selector_parameters import RULES, SCALES, check_size, resolve_size

#: What both stages are told where it is set here.
_SHARED = ("estimator", "cv", "max_features", "random_state")
#: What the first stage has warned of and noted need not be said again by the second.
_SAID_ONCE = ".*(hold no value at all|classes in .* rows: )"


@dataclass(eq=False, repr=False)
class TwoStage(Selector):
    """Candidates by one selector, the features among them by another (Peng, Long and Ding, Sec. 3).

    The first stage ranks up to `max_features` columns; each size is judged by cross-validation that selects anew in
    every fold. Within the range of sizes where the error is small and steady, the fewest features at the least error
    are the candidates. The second stage chooses among these alone.

    Parameters
    ----------
    first : selector, name of a method, or None, default=None
        None is MRMR(). Where its n_features is a number, or it has a threshold, that decides on the candidates.
    second : selector, name of a method, or None, default=None
        None is Wrapper(). It gets the candidates in the order of the first stage: ties go to the better ranked.
    n_features : int, float, "auto" or None, default=None
        How many the second stage is to take; a share is one of all columns. There are at least as many candidates.
        None: as `second` says.
    estimator, cv, max_features, random_state : default=None
        Where given, of both stages, in place of their own. Without it candidates are judged by the estimator of
        `first`, or else by that of `second`.
    scale : default="auto"
        Where given, of both stages.
    verbose : bool, default=False
        Show progress of both stages.

    `rule` has no effect: the range where errors are steady is in its place.

    Attributes
    ----------
    candidates_ : ndarray
        The candidates' columns, best ranked first.
    candidate_errors_ : dict from size to error
        The cross-validated error of the first stage's features, for every size; empty where it said how many itself.
    first_, second_ : the fitted selectors; the columns of `second_` are the candidates
    scores_ : ndarray of shape (n_features_in_,)
        Those of the second stage, NaN for columns that are no candidates.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector.

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
    takes: ClassVar[str] = "what both methods take"
    proves: ClassVar[str] = "nothing"
    cost: ClassVar[str] = "both methods; the second sees the candidates only"

    first: Any = None
    second: Any = None
    _: KW_ONLY
    cv: Any = None
    max_features: Any = None
    random_state: Any = None

    def sentence(self) -> Sentence:
        """The first of its two sentences."""
        return self._stages()[0].sentence()

    def checked_sentence(self) -> Sentence:
        check_size(self.n_features)
        check_choice("scale", self.scale, SCALES)
        check_choice("rule", self.rule, RULES)
        check_estimator(self.estimator)
        first, second = self._stages()
        second.checked_sentence()
        return first.checked_sentence()

    def check_partial_fit(self) -> None:
        raise AttributeError("TwoStage needs all rows at once, for it judges the candidates by folds. Use fit.")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose candidates, and features among them; the parameters are those of every selector's fit."""
        started = time.perf_counter()
        self.checked_sentence()
        first, second = self._stages()
        both_take_text = all(takes_text(stage.sentence()[0]) for stage in (first, second))
        source = to_source(self, X, y, sample_weight, is_new=True, takes_text=both_take_text)
        first.fit(source)
        notes = [f"first stage ({first.name}): {note}" for note in first.notes_]
        errors = {size: error for size, (error, _) in getattr(first, "size_curve_", {}).items()}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _SAID_ONCE, FewestWarning)
            notes += self._tell_how_many(first, second, source)
            self.candidates_: Indices = np.array(first.selection_.indices, dtype=np.intp)
            if len(self.candidates_) == 0:
                raise InvalidInput(
                    f"The first stage, {first!r}, took no features, so there are no candidates. Ask less of it."
                )
            second.fit(source.only(self.candidates_.tolist()))
        own = [note for note in second.notes_ if not re.match(_SAID_ONCE, note)]
        notes += [f"second stage ({second.name}): {note}" for note in own]
        self.candidate_errors_: dict[int, float] = errors
        self.first_, self.second_ = first, second
        seen = first.selection_.provenance
        assert seen is not None
        self._store_selection(
            _among(second.selection_, first.selection_.indices, source.n_features),
            self._provenance(started, seen.n_rows, seen.class_counts, seen.fingerprint, tuple(notes)),
        )
        return self

    def _tell_how_many(self, first: Selector, second: Selector, source: Source) -> list[str]:
        """Tell the second stage how many to take, and have as many candidates; what there is to say about it."""
        if self.n_features is None:
            return []
        if self.n_features == "auto":
            second.set_params(n_features="auto")
            return []
        wanted = resolve_size(self.n_features, source.n_features)
        second.set_params(n_features=wanted)
        longer = clone(first).set_params(n_features=wanted)
        if first.n_features_ >= wanted or longer.chooses_size():
            return []
        first.set_params(n_features=wanted).fit(source)
        return [f"{wanted} features are asked for, so there are as many candidates"]

    def _stages(self) -> tuple[Selector, Selector]:
        """Both selectors, copied, with what is to be theirs."""
        first, second = self._stage("first", self.first, "mrmr"), self._stage("second", self.second, "wrapper")
        if first.estimator is None:
            first.set_params(estimator=clone(second.estimator) if second.estimator is not None else None)
        if (first.n_features is None or first.n_features == "auto") and not first.chooses_size():
            first.set_params(n_features="auto", rule="stable")
        return first, second

    def _stage(self, role: str, given: Any, default: str) -> Selector:
        if given is None or isinstance(given, str):
            given = method_by_name(given or default)()
        if not isinstance(given, Selector):
            raise InvalidParameter(
                f"{role} must be a selector such as {method_by_name(default).__name__}(), the name of a method, or "
                f"None, got {given!r} instead."
            )
        stage: Selector = clone(given)
        told = {name: getattr(self, name) for name in _SHARED if getattr(self, name) is not None}
        if self.scale != "auto":
            told["scale"] = self.scale
        stage.set_params(**told, verbose=self.verbose or stage.verbose)
        return stage


def _among(selection: Selection, candidates: tuple[int, ...], n_columns: int) -> Selection:
    """A selection among candidates as one among all columns, of which then nothing is proved."""

    def named(columns: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(candidates[column] for column in columns)

    path = selection.path
    scores = None
    if selection.column_scores is not None:
        scores = np.full(n_columns, np.nan)
        scores[list(candidates)] = selection.column_scores
    return replace(
        selection,
        indices=named(selection.indices),
        path=NestedPath(named(path.order))
        if isinstance(path, NestedPath)
        else {size: named(columns) for size, columns in path.items()},
        bound=None,
        is_optimal=None if selection.is_optimal is None else False,
        breakpoints=(),
        column_scores=scores,
    )

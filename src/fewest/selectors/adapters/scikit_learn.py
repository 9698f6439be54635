"""Selectors of scikit-learn's kind among ours: SelectKBest, SelectFromModel, RFE, or a pipeline that ends in one."""

from __future__ import annotations

import inspect
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from threading import RLock
from typing import Any, ClassVar, Self, cast

import numpy as np
from scipy import sparse
from sklearn.base import clone

from fewest.arrays import Codes, Floats, Indices, Mask
from fewest.data.source import Source
from fewest.errors import FewestError, InvalidInput, InvalidParameter
from fewest.protocols import Sentence
from fewest.selection import NestedPath, Selection
from fewest.selectors.collection import DataFacts, check_classes
from fewest.selectors.estimators.evaluator import ImputingScaler
from fewest.selectors.input import to_source
from fewest.selectors.search_space import constraint_parameters
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import check_size, resolve_size
from fewest.statistics.class_moments import ClassMoments
from fewest.unexpected import PublicEntry

#: Held by the thread that draws from NumPy's global generator.
_drawing = RLock()
if hasattr(os, "register_at_fork"):
    # The thread that held it is not there in a forked process.
    os.register_at_fork(after_in_child=lambda: globals().update(_drawing=RLock()))

#: The parameters that set the number of features, by the libraries that have them.
_SIZES = ("k", "n_features_to_select", "max_features", "k_features")


@dataclass(eq=False, repr=False)
class ScikitLearnSelector(Selector):
    """Select features by a selector of scikit-learn's kind.

    Where it has a parameter for the number of features (k, n_features_to_select, max_features), that is set; otherwise
    it selects as many as it does. Missing values are filled with the means of their columns, where it takes none.

    Parameters
    ----------
    selector : estimator
        An estimator with get_support, such as SelectKBest(), or a pipeline whose last step is one.
    sizes : tuple of int or None, default=None
        Sizes that the path has in addition to the number of features.

    See Also
    --------
    FeatureSelector : A criterion and a search of this package.
    """

    takes: ClassVar[str] = "what the selector takes"
    proves: ClassVar[str] = "nothing: another library's"
    cost: ClassVar[str] = "the rows, and the selector's own cost"

    selector: Any
    _: KW_ONLY
    sizes: tuple[int, ...] | None = None

    def sentence(self) -> Sentence:
        raise InvalidParameter(f"{type(self.selector).__name__} has no criterion and no search of this package.")

    def _checked_sentence(self) -> Sentence:
        check_size(self.n_features)
        self._check_tests(None)
        if not is_selector(self.selector):
            raise InvalidParameter(f"selector must be an estimator with get_support, got {self.selector!r} instead.")
        if not constraint_parameters(self).are_none:
            what = f"{type(self.selector).__name__} is of another library, and takes no constraints on columns."
            raise InvalidParameter(f"{what} Drop the columns that it may not use.")
        return cast(Sentence, ())

    def _check_partial_fit(self) -> None:
        raise AttributeError(f"{type(self.selector).__name__} needs all rows at once. Use fit.")

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        own: Self = clone(self).set_params(n_features=max(sizes), sizes=tuple(sizes))
        return own

    def fit(self, X: object, y: object = None, sample_weight: object = None, groups: object = None) -> Self:
        """Select features; the parameters are those of Selector.fit. Weights are refused, and groups have no effect."""
        with PublicEntry(f"{type(self.selector).__name__}.fit", X=X, y=y, selector=self):
            started = time.perf_counter()
            self._checked_sentence()
            if sample_weight is not None:
                raise InvalidParameter(f"{type(self.selector).__name__} is fitted without weights. Leave them out.")
            source = to_source(self, X, y, None, is_new=True)
            values, codes, moments = _rows(source)
            check_classes(moments)
            size = resolve_size(None if self.n_features == "auto" else self.n_features, source.n_features)
            sizes = sorted({min(one, source.n_features) for one in (*(self.sizes or ()), size)})
            selection = _to_selection(*_select(self.selector, values, codes, sizes))
            self._store_selection(selection, self._provenance(started, DataFacts.of(moments), ()))
        return self


def is_selector(estimator: object) -> bool:
    """Return whether this is an estimator that selects columns, or a pipeline whose last step does."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") and estimator.steps else estimator
    return not isinstance(last, type) and all(hasattr(last, name) for name in ("fit", "get_support", "get_params"))


def short_name(estimator: Any) -> str:
    """Return the class of a selector with the parameters that are not the default: RFE(LinearSVC(), step=2)."""
    if hasattr(estimator, "steps"):
        return " + ".join(short_name(step) for _, step in estimator.steps)
    changed: list[str] = []
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        value = getattr(estimator, name, None)
        if name in _SIZES or repr(value) == repr(parameter.default):
            continue
        is_first = not changed and parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        shown = getattr(value, "__name__", None) or " ".join(repr(value).split())
        changed.append(shown if is_first else f"{name}={shown}")
    return type(estimator).__name__ + (f"({', '.join(changed)})" if changed else "")


def _rows(source: Source) -> tuple[Any, Codes, ClassMoments]:
    moments = ClassMoments()
    blocks = list(source.blocks())
    for block in blocks:
        if block.weights is not None and not (block.weights == 1).all():
            raise InvalidInput("Selectors of scikit-learn are fitted without weights here. Leave the weights out.")
        moments.update(block.as_floats())
    parts = [block.values for block in blocks]
    values = sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
    return values.astype(np.float64), np.concatenate([block.codes for block in blocks]), moments


def _select(selector: Any, values: Any, codes: Codes, sizes: Sequence[int]) -> tuple[list[Mask], Floats | None]:
    """Return the columns that are selected for each size, as masks, and the scores of all columns where there are some.

    A selector without a size gives one mask.
    """
    n_columns = values.shape[1]
    own = _seeded(selector)
    if not sparse.issparse(values) and np.isnan(values).any() and not own.__sklearn_tags__().input_tags.allow_nan:
        values = np.where(np.isnan(values), ImputingScaler.fit(values).centre, values)
    front: Any = own[:-1] if hasattr(own, "steps") else ()
    last = own.steps[-1][1] if hasattr(own, "steps") else own
    columns = np.arange(n_columns)
    try:
        with _numpy_seeded(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if len(front):
                values = front.fit_transform(values, codes)
                columns = _columns_after(front, n_columns)
            masks, scores = _select_by_sizes(last, values, codes, sizes)
    except FewestError:
        raise
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"{type(last).__name__} cannot select features: {str(error).splitlines()[0]}") from error
    if not any(mask.any() for mask in masks):
        raise InvalidInput(f"{type(last).__name__} selects no features. Loosen its threshold.")
    return [_spread(mask, columns, n_columns, False) for mask in masks], (
        None if scores is None else _spread(np.asarray(scores, dtype=np.float64), columns, n_columns, np.nan)
    )


def _select_by_sizes(selector: Any, values: Any, codes: Codes, sizes: Sequence[int]) -> tuple[list[Mask], Any]:
    """Fit once where one fit gives all sizes, otherwise once a size."""
    from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest

    parameter = next((name for name in _SIZES if name in selector.get_params(deep=False)), None)
    if parameter is None:
        fitted = selector.fit(values, codes)
        return [fitted.get_support()], getattr(fitted, "scores_", None)
    sizes = [min(size, values.shape[1]) for size in sizes]
    if type(selector) is SelectKBest:
        fitted = selector.set_params(k=max(sizes)).fit(values, codes)
        return [fitted.set_params(k=size).get_support() for size in sizes], fitted.scores_
    if type(selector) is SelectFromModel:
        # The features of largest importance; the threshold would leave out some of them.
        fitted = selector.set_params(threshold=-np.inf, max_features=max(sizes)).fit(values, codes)
        again = clone(selector).set_params(estimator=fitted.estimator_, prefit=True)
        return [again.set_params(max_features=size).fit(values, codes).get_support() for size in sizes], None
    if type(selector) is RFE and selector.step == 1:
        ranking = selector.set_params(n_features_to_select=min(sizes)).fit(values, codes).ranking_
        return [ranking <= 1 + size - min(sizes) for size in sizes], None
    fits = (clone(selector).set_params(**{parameter: size}).fit(values, codes) for size in sizes)
    return [fitted.get_support() for fitted in fits], None


def _columns_after(front: Any, n_columns: int) -> Indices:
    """Return which of the columns are left after the first steps of a pipeline."""
    names = [f"x{column}" for column in range(n_columns)]
    try:
        left = [str(name) for name in front.get_feature_names_out(names)]
        return np.array([names.index(name) for name in left], dtype=np.intp)
    except (AttributeError, ValueError):
        raise InvalidInput(
            f"A step of the pipeline ({', '.join(type(step).__name__ for _, step in front.steps)}) makes new columns, "
            "so that the last step does not select features of the table. Leave such steps out."
        ) from None


def _spread(values: Any, columns: Indices, n_columns: int, rest: float | bool) -> Any:
    """Return values of some columns as values of all."""
    found = np.full(n_columns, rest)
    found[columns] = values
    return found


def _to_selection(masks: Sequence[Mask], scores: Floats | None) -> Selection:
    """Return the largest subset with the path of all; columns of smaller subsets, then of higher scores, come first."""
    subsets: dict[int, tuple[int, ...]] = {}
    taken: list[int] = []
    for mask in sorted(masks, key=np.count_nonzero):
        chosen = np.flatnonzero(mask).tolist()
        if not chosen:
            continue
        if scores is not None:
            chosen.sort(key=lambda column: (-np.nan_to_num(scores[column], nan=-np.inf), column))
        taken = [column for column in taken if mask[column]]
        taken += [column for column in chosen if column not in taken]
        subsets[len(taken)] = tuple(taken)
    indices = subsets[max(subsets)]
    is_nested = list(subsets) == list(range(1, len(indices) + 1)) and all(
        indices[:size] == subset for size, subset in subsets.items()
    )
    own = tuple(float("nan") if scores is None else float(scores[column]) for column in indices)
    return Selection(indices, own, path=NestedPath(indices) if is_nested else subsets, column_scores=scores)


def _seeded(selector: Any) -> Any:
    """Return a copy with a seed wherever a random_state is None."""
    own = clone(selector)
    random = [name for name, value in own.get_params().items() if name.endswith("random_state") and value is None]
    return own.set_params(**dict.fromkeys(random, 0))


@contextmanager
def _numpy_seeded() -> Iterator[None]:
    """Seed NumPy's global generator, which functions such as mutual_info_classif draw from, and put it back.

    Threads take turns: what one draws would be missing for the other.
    """
    with _drawing:
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(0)  # noqa: NPY002
        try:
            yield
        finally:
            np.random.set_state(state)  # noqa: NPY002

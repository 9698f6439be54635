"""AutoSelector: the best of a few methods, chosen with the size by the same folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from sklearn.base import clone

from fewest._core import release_freed_memory
from fewest.constraints.constraint_parameters import NAMES as CONSTRAINTS
from fewest.data.retained import retain
from fewest.data.source import Source, with_progress
from fewest.display.formatting import count
from fewest.errors import FewestError, FewestWarning, InvalidParameter
from fewest.memory import MIB
from fewest.parameters import is_auto
from fewest.protocols import Sentence
from fewest.selectors.collection import DataFacts, announce_passes
from fewest.selectors.input import to_source
from fewest.selectors.registry import method_by_name
from fewest.selectors.row_selector import RowSelector
from fewest.selectors.search_space import SearchSpace
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import check_sample, check_verbose, resolve_size
from fewest.selectors.sizes.size import SizeChoice, draw_folds, first_unless_better
from fewest.statistics.sampled_source import SampledSource, sample_rows
from fewest.statistics.shared_passes import SharedPasses
from fewest.unexpected import PublicEntry

#: A sample of at most this size, in bytes, is compared on while mRMR's categories of all rows are kept.
_SAMPLE_BESIDE_ROWS = 64 * MIB
#: Parameters of this selector that its candidates share.
_SHARED = ("estimator", "cv", "max_features", "random_state", "rule", "scoring", *CONSTRAINTS)


@dataclass(eq=False, repr=False)
class AutoSelector(RowSelector):
    """Select features by the best of a few methods: method and size are chosen together by cross-validation.

    Every candidate selects on the training rows of each fold, and the classifiers evaluate it on the test rows. The
    first candidate selects on all rows, unless a later one is better than it by more than one standard error. With a
    number of features the candidates are compared at that number.

    Parameters
    ----------
    candidates : sequence of selectors or names of methods, default=("mrmr", "relieff")
        The methods to choose from, the preferred one first. One that cannot take the data drops out, with a note.
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        Where not "auto", the scale of all candidates.

    Attributes
    ----------
    selector_ : Selector
        The chosen candidate, fitted.
    candidate_errors_ : dict
        The cross-validated error of each candidate at its best size, by which it was chosen; of a metric that is better
        if higher, its complement.

    See Also
    --------
    MRMR : Relevant columns that repeat each other little; counts what columns tell one by one.
    ReliefF : Columns in which rows of other classes are farther; sees what columns tell only together.
    compare : An honest error of this choice, which the one of the folds is not.

    Notes
    -----
    The default candidates are the pair with the least nested error on 50 data sets (docs/methods/auto.md). Costs the
    candidates' fits in every fold. If the time of a candidate grows with the square of the rows, all are compared on a
    sample of at most 4,000 rows, drawn by their contents; such a candidate then selects on that sample too.

    References
    ----------
    Peng, Long and Ding (2005), https://doi.org/10.1109/TPAMI.2005.159, for mRMR, and Robnik-Šikonja and Kononenko
    (2003), https://doi.org/10.1023/A:1025667309714, for ReliefF.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import AutoSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 10))
    >>> y = (X[:, 3] * X[:, 7] > 0).astype(int)  # neither column tells anything alone
    >>> chosen = AutoSelector(n_features="auto").fit(X, y)
    >>> chosen.selector_.name, sorted(chosen.selection_.indices)
    ('relieff', [3, 7])
    """

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "the best of a few methods (mrmr, relieff), chosen with the size by the same folds"
    formula: ClassVar[str] = "the first method, unless another errs less by more than one standard error"
    takes: ClassVar[str] = "numbers and text, missing values allowed, dense, sparse or streamed"
    proves: ClassVar[str] = "nothing"
    cost: ClassVar[str] = "that of its methods, in every fold"

    candidates: Sequence[Selector | str] = ("mrmr", "relieff")

    def sentence(self) -> Sentence:
        return next(iter(self._candidates().values())).sentence()

    def _checked_sentence(self) -> Sentence:
        check_sample(self.sample, self.cv)
        check_verbose(self.verbose)
        self._check_tests(None)
        sentences = [candidate._checked_sentence() for candidate in self._candidates().values()]
        return sentences[0]

    def _check_partial_fit(self) -> None:
        raise AttributeError("AutoSelector needs all rows at once, to compare its candidates. Use fit.")

    def _allows_missing(self) -> bool:
        return any(candidate._allows_missing() for candidate in self._candidates().values())

    def _compared(self) -> Sequence[Selector]:
        return tuple(self._candidates().values())

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        own: Self = clone(self).set_params(n_features=max(sizes))
        own._sizes = tuple(sizes)
        return own

    def fit(self, X: object, y: object = None, sample_weight: object = None, groups: object = None) -> Self:
        """Choose a candidate, and select features by it."""
        with PublicEntry("AutoSelector.fit", X=X, y=y, sample_weight=sample_weight, selector=self):
            started = time.perf_counter()
            self._checked_sentence()
            self.__dict__.pop("size_curve_", None)
            with with_progress(
                to_source(self, X, y, sample_weight, is_new=True, takes_text=True), self.verbose
            ) as source:
                self._space = SearchSpace.of(self)
                source = retain(self._sampled(source), self._stream_bytes)
                source = source if source.is_in_memory or source.is_distributed else SharedPasses(source)
                tried = _Trial(self._candidates(), source, groups, self._evaluated_sizes())
                name = tried.best()
                chosen = tried.fit_on_all(name)
                data = chosen.selection_.provenance
                assert data is not None
                notes = (*tried.notes(name), *chosen.notes_)
                facts = DataFacts(data.n_rows, data.class_counts, data.fingerprint)
                provenance = replace(self._provenance(started, facts, notes), objective=data.objective)
            for message in tried.warnings[name]:
                warnings.warn(message, FewestWarning, stacklevel=2)
            self.selector_ = chosen
            self.candidate_errors_ = {one: choice.least for one, choice in tried.choices.items()}
            if is_auto(self.n_features):
                self.size_curve_ = chosen.size_curve_
            self._store_selection(chosen.selection_, provenance)
        return self

    def _evaluated_sizes(self) -> tuple[int, ...]:
        """Return the sizes at which candidates are compared; none where the size is chosen too."""
        sizes: tuple[int, ...] = getattr(self, "_sizes", ())
        if is_auto(self.n_features) or sizes:
            return sizes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewestWarning)  # a candidate warns of too many
            asked = resolve_size(self.n_features, self._space.n_units)
            return (self._space.limit_size(asked) or asked,)

    def _candidates(self) -> dict[str, Selector]:
        """Return copies of the candidates with the shared parameters, by name."""
        requested = self.candidates
        is_one = isinstance(requested, str | Selector) or not isinstance(requested, Iterable)
        if is_one or getattr(requested, "ndim", 1) != 1 or not list(requested):
            raise InvalidParameter(
                f"candidates must be selectors or names of methods, such as ('mrmr', 'relieff'), got {requested!r}."
            )
        found: dict[str, Selector] = {}
        for one in requested:
            selector = method_by_name(one)() if isinstance(one, str) else one
            if not isinstance(selector, Selector) or isinstance(selector, AutoSelector):
                raise InvalidParameter(f"A candidate is a selector such as MRMR(), or a method's name, got {one!r}.")
            own: Selector = clone(selector)
            shared = {name: getattr(self, name) for name in _SHARED}
            scale = own.scale if is_auto(self.scale) else self.scale
            own.set_params(**shared, n_features=self.n_features, scale=scale)
            sizes: Sequence[int] = getattr(self, "_sizes", ())
            own = own._with_sizes(sizes) if sizes else own
            if own._chooses_size():
                raise InvalidParameter(
                    f"The candidate {own!r} chooses its own number of features, so that sizes cannot be compared. Give "
                    "n_features a number, or name another candidate."
                )
            name = own.name or type(own).__name__
            number = sum(known.split(" #")[0] == name for known in found)
            found[name if number == 0 else f"{name} #{number + 1}"] = own
        return found


class _Trial:
    """The candidates fitted on the same rows, or a sample of them, with their cross-validated losses.

    choices, warnings : by the name of a candidate
    left_out : why a candidate could not take the data
    sampled : the candidates that can only take a sample
    """

    def __init__(
        self, candidates: Mapping[str, Selector], source: Source, groups: object, sizes: tuple[int, ...]
    ) -> None:
        self.candidates, self.source, self.groups, self.sizes = candidates, source, groups, sizes
        self.choices: dict[str, SizeChoice] = {}
        self.warnings: dict[str, list[str]] = {}
        self.left_out: dict[str, str] = {}
        self.sampled: set[str] = set()
        rows = self._sample()
        #: The rows on which all candidates are compared, where these are a sample of those that some of them can take.
        self.n_sampled = rows.n_rows if self.sampled and isinstance(rows, SampledSource) else 0
        errors: list[FewestError] = []
        for name, candidate in candidates.items():
            if name in self.left_out:
                continue
            try:
                self._fit(name, candidate, rows)
            except FewestError as error:
                errors.append(error)
                self.left_out[name] = str(error)
            release_freed_memory()
        if not self.choices:
            raise errors[0]

    def _sample(self) -> Source:
        """The rows on which all candidates are compared: as many as the slowest can take."""
        limits = {name: one._affordable_rows(self.source.n_features) for name, one in self.candidates.items()}
        limited = {name: limit for name, limit in limits.items() if limit is not None}
        if not limited:
            return self.source
        first = next(iter(self.candidates.values()))
        if isinstance(self.source, SharedPasses) and first.name not in limited:
            self._read_ahead(first, self.source, min(limited.values()))
        rows = sample_rows(self.source, min(limited.values()), first.random_state)
        self.sampled = set() if rows is self.source else set(limited)
        release_freed_memory()
        return rows

    def _read_ahead(self, first: Selector, source: SharedPasses, n_sampled: int) -> None:
        """Let the passes that draw the sample also collect what the first candidate asks for, should it be chosen."""
        has_folds = is_auto(first.n_features) or bool(first._alternatives())
        drawn = draw_folds(first, source, self.groups, 1 if first._alternatives() else None) if has_folds else ()
        # The categories of all rows, which the second pass keeps, lie beside the sample and its copies.
        is_both = 8 * n_sampled * source.n_features <= _SAMPLE_BESIDE_ROWS
        announce_passes(first._checked_sentence()[0], source, drawn, first._stream_bytes, is_both=is_both)

    def _fit(self, name: str, candidate: Selector, rows: Source) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FewestWarning)
            choice = candidate._fit(rows, None, None, self.groups, self.sizes)
        assert choice is not None
        self.choices[name] = choice
        self.warnings[name] = [str(one.message) for one in caught if issubclass(one.category, FewestWarning)]

    def best(self) -> str:
        """The first candidate, unless another is better than it by more than one standard error."""
        best = first_unless_better([(choice.least, choice.spread) for choice in self.choices.values()])
        return list(self.choices)[best]

    def fit_on_all(self, name: str) -> Selector:
        """The candidate, fitted on all rows where it can take them."""
        if not self.sampled or name in self.sampled:
            return self.candidates[name]
        # What the candidates keep of the sample goes before there is more.
        candidate: Selector = clone(self.candidates[name])
        self.candidates = {}
        release_freed_memory()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewestWarning)
            return candidate.fit(self.source, groups=self.groups)

    def notes(self, name: str) -> tuple[str, ...]:
        """How the candidate was chosen, and which could not be."""
        chosen = self.choices[name]
        form = chosen.metric.form
        among = " and ".join(self.choices) if len(self.choices) < 3 else ", ".join(self.choices)
        others = ", ".join(
            f"{one} {form.text(own.least)}{' (within a standard error)' if own.least < chosen.least else ''}"
            for one, own in self.choices.items()
            if one != name
        )
        at = f" at {' or '.join(map(str, self.sizes))} features" if 0 < len(self.sizes) < 3 else ""
        on = f" on a sample of {count(self.n_sampled)} rows" if self.n_sampled else ""
        note = f"{name} chosen among {among} by cross-validation{on}{at}: {form.phrase(chosen.least)}, {others}"
        if len(self.sizes) == 1:
            note += "; optimistic, since it chose the method: compare gives an honest one"
        notes = [note] if len(self.choices) > 1 else []
        return *notes, *(f"{one} is left out: {why}" for one, why in self.left_out.items())

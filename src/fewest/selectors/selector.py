"""The base of all selectors: fit, partial_fit and the attributes of the selection."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Never, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from fewest.data.retained import retain
from fewest.data.source import Source, with_progress
from fewest.errors import FewestWarning, LongFitWarning
from fewest.memory import STORED_ROWS_OF_STREAM
from fewest.protocols import AnyCriterion, ChecksColumns, ChecksSubsets, Criterion, Evidence, Sentence
from fewest.selection import Provenance, Selection, installed_version
from fewest.selectors.collection import (
    CollectedRows,
    DataFacts,
    bind_features,
    check_finite,
    check_rows,
    collect_rows,
    describe_sample,
    features_of,
    groups_of,
    note_many_classes,
    note_unobserved,
    readable_by,
    text_notes,
    varying_features,
)
from fewest.selectors.columns import ColumnsMixin
from fewest.selectors.constrained_columns import ConstrainedColumns
from fewest.selectors.docstrings import compose_docstring, compose_method
from fewest.selectors.input import column_name, to_source
from fewest.selectors.partial_fit import add_rows, has_partial_fit
from fewest.selectors.search_space import EVERY_COLUMN, SearchSpace, check_constraints
from fewest.selectors.selector_parameters import check_fit, check_parameters, plain_parameter, resolve_size
from fewest.selectors.sizes.size import SizeChoice, draw_folds, tune
from fewest.statistics.sampled_source import SampledSource, sample_rows
from fewest.unexpected import PublicEntry

#: The objective that a hook is given. An override names what its criterion binds to: any type is wider than Never.
OwnObjective = Never
Bound = TypeVar("Bound")


@dataclass(eq=False, repr=False)
class Selector(ConstrainedColumns, ColumnsMixin, BaseEstimator):
    """Select features by a criterion and a search, which a subclass names in sentence().

    The fields are the constructor's parameters, which are never written to. A subclass documents its own parameters and
    attributes; those of its bases are added to its docstring.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features_in_,)
        The mask of the selected columns.
    ranking_ : ndarray of int, shape (n_features_in_,)
        1 for the column selected first, 2 for the next; columns not selected share the last rank.
    scores_ : ndarray of float, shape (n_features_in_,)
        The score of each column, higher is better; NaN where the method gives none.
    n_features_ : int
        The number of selected features.
    n_features_in_ : int
        The number of columns seen by fit.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the columns, where the input has names.
    selection_ : Selection
        The answer with its evidence: features in the order taken, path, value, bound and provenance.
    notes_ : tuple of str
        What was noticed while fitting.
    size_curve_ : dict
        Under n_features="auto", the mean error and its standard error at each size; of a metric that is better if
        higher, its complement.
    """

    #: The name on the command line, and for `fewest methods` what it does, computes, takes, proves and costs.
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    takes: ClassVar[str] = "numbers and text, missing values allowed, dense, sparse or streamed"
    proves: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    #: Why `scale` does nothing; empty where it does something.
    _scale_is_inert: ClassVar[str] = ""
    #: Rows of a stream that are kept may take this many bytes, where they can be read again instead.
    _stream_bytes: ClassVar[int] = STORED_ROWS_OF_STREAM
    #: Fitted attributes that have a number for every column that may be selected.
    _column_attributes: ClassVar[tuple[str, ...]] = ("weights_",)
    _tested_attributes: ClassVar[tuple[str, ...]] = ("p_values_", "q_values_")
    #: What fit may select of the columns that it was given.
    _space = EVERY_COLUMN

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        compose_docstring(cls)
        compose_method(cls, "fit")

    @abstractmethod
    def sentence(self) -> Sentence:
        """Return the criterion and the search that the parameters stand for."""

    def _scale_or(self, default: str) -> str | None:
        """Return the scale asked for; the default of the method where it is "auto"."""
        return default if self.scale == "auto" else self.scale

    def _allows_missing(self) -> bool:
        """Return whether values may be missing (NaN)."""
        return True

    def _chooses_size(self) -> bool:
        """Return whether the search itself, or a test, decides how many features to take, with these parameters."""
        return self._is_tested()

    def _evaluation_degree(self) -> float:
        """Return the kernel's degree of the SVM that evaluates sizes under n_features="auto"; math.inf is Gaussian."""
        return 1

    def _alternatives(self) -> Sequence[Mapping[str, float]]:
        """Return the parameters among which cross-validation chooses; none where all are given."""
        return ()

    def _seeks_threshold(self) -> bool:
        """Return whether cross-validation chooses the parameter beta, the threshold of the search."""
        return False

    def _without_effect(self) -> Mapping[str, str]:
        """Return the parameters that were set and change nothing, with the reason."""
        inert = {"scale": self._scale_is_inert} if self._scale_is_inert and self.scale != "auto" else {}
        return inert | self._unused_tests()

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        """Return a copy whose selection has features of each of these sizes in its path."""
        own: Self = clone(self)
        return own if self._chooses_size() else own.set_params(n_features=max(sizes))

    def _compared(self) -> Sequence[Selector]:
        """Return the selectors whose comparison evaluates this one: itself, or those that it chooses from."""
        return (self,)

    def _affordable_rows(self, n_columns: int) -> int | None:
        """Return the number of rows up to which a fit takes a second or so; None where time grows with the rows."""
        return None

    @property
    def _sample_size(self) -> int | None:
        """The number of rows to select on, which RowSelector has as a parameter; None for all."""
        return getattr(self, "sample", None)

    def _rows_of(self, source: Source, criterion: AnyCriterion) -> Source:
        """Return the rows to select on; raise, before any are read, where there are too many to keep."""
        if self._sample_size is not None:
            return sample_rows(source, self._sample_size, self.random_state)
        check_rows(criterion, source)
        return source

    def _sample_notes(self, source: Source) -> tuple[str, ...]:
        """Return a note where the rows are a sample, or where one is asked for and holds all rows."""
        return describe_sample(source, self._sample_size)

    def _store_sampling_error(
        self, selection: Selection, criterion: AnyCriterion, collected: CollectedRows | None
    ) -> tuple[str, ...]:
        """Store the error of the scores that is due to a sample, where it is known, and return a note on it."""
        return ()

    def _time_note(self, n_rows: int, n_columns: int) -> str | None:
        """Return a note where a fit takes minutes, with the parameter that makes it shorter."""
        return None

    def _with_groups(self, criterion: AnyCriterion, source: Source, groups: object) -> AnyCriterion:
        """Return the criterion, with folds that keep groups of rows together where it has folds of its own."""
        return criterion

    def _objective_words(self) -> str:
        """Return what the value of the selection is, in words; nothing where the method has no objective."""
        return ""

    def _finalize(self, selection: Selection, objective: OwnObjective) -> Selection:
        """Return the selection that the search found, with what the method knows of its value and bound."""
        return selection

    def _fit_notes(self, selection: Selection, objective: OwnObjective) -> tuple[str, ...]:
        """Return notes for the user about these parameters on these data."""
        return ()

    def _store_fitted(self, objective: OwnObjective, selection: Selection) -> None:
        """Store the attributes that only this method has, with a trailing underscore."""

    def _check_partial_fit(self) -> None:
        """Raise AttributeError where all rows are needed at once."""
        if self.n_features == "auto" and not self._chooses_size():
            raise AttributeError("n_features='auto' needs all rows at once. Give n_features a number, or use fit.")
        if self._alternatives():
            name = next(iter(self._alternatives()[0]))
            raise AttributeError(f"{name}='auto' needs all rows at once. Give {name} a number, or use fit.")
        if self._seeks_threshold():
            raise AttributeError("beta='auto' needs all rows at once. Give beta a number, or use fit.")

    def fit(self, X: object, y: object = None, sample_weight: object = None, groups: object = None) -> Self:
        """Select features.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_rows, n_features_in_), or a Source made by scan()
            The rows.
        y : array of shape (n_rows,) or None, default=None
            The class of each row; None where X is a Source, which has its own.
        sample_weight : array of shape (n_rows,) or None, default=None
            The weight of each row; a weight of 2 is the row twice.
        groups : array of shape (n_rows,) or None, default=None
            The group of each row, such as the patient. Rows of one group are in one fold where folds choose the size
            or a parameter; otherwise groups make no difference.

        Returns
        -------
        Selector
            The selector itself, fitted: `selection_` is the answer.
        """
        with PublicEntry(f"{type(self).__name__}.fit", X=X, y=y, sample_weight=sample_weight, selector=self):
            self._fit(X, y, sample_weight, groups)
        return self

    def _fit(
        self, X: object, y: object, sample_weight: object, groups: object, evaluated: Sequence[int] = ()
    ) -> SizeChoice | None:
        """Select features, and return the cross-validated losses where folds were needed.

        evaluated : sizes whose losses are needed although n_features is a number
        """
        started = time.perf_counter()
        criterion, search = self._checked_sentence()
        self._statistic = None
        self._chosen: Mapping[str, float] = {}
        self.__dict__.pop("size_curve_", None)
        rows = to_source(self, X, y, sample_weight, is_new=True, takes_text=True)
        space = self._space = SearchSpace.of(self)
        choice = None
        with with_progress(rows, self.verbose and not isinstance(rows, SampledSource)) as source:
            source = space.only(source)
            self._check_columns(criterion, source.n_features)
            source = self._rows_of(source, criterion)
            groups, notes = groups_of(source, groups), self._sample_notes(source)
            criterion = self._with_groups(criterion, source, groups)
            seeks_size = self.n_features == "auto" and not self._chooses_size()
            size = None if seeks_size else self._size(space)
            if isinstance(search, ChecksSubsets):
                search.check_subsets(space.n_units, self.max_features if seeks_size else size, space.constraints)
            has_folds = seeks_size or self._seeks_threshold() or bool(self._alternatives()) or bool(evaluated)
            source = retain(source, self._stream_bytes) if has_folds else self._rows_to_permute(source, criterion)
            readable = readable_by(criterion, source)
            if readable is not source:
                self._check_columns(criterion, readable.n_features)
            drawn = draw_folds(self, source, groups, 1 if self._alternatives() else None) if has_folds else []
            collected = collect_rows(criterion, source, readable, drawn, self._stream_bytes)
            if (note := self._time_note(collected.statistic.n_rows, readable.n_features)) is not None:
                warnings.warn(note, LongFitWarning, stacklevel=4)
            if has_folds:
                tuned = tune(self, collected.source, collected.training, None if seeks_size else evaluated or size)
                collected.release_folds()
                criterion, search = tuned.selector.sentence()
                choice, self._chosen = tuned.choice, tuned.parameters
                if seeks_size:
                    size, self.size_curve_ = choice.size, choice.curve
                elif self._seeks_threshold():
                    self.size_curve_ = choice.curve
                notes += () if evaluated else tuned.notes
        statistic, is_rescaled = collected.statistic, collected.source is not source
        notes += text_notes(collected.readable)
        self._select(statistic, (criterion, search), size, started, notes, collected)
        # partial_fit goes on from here where that takes a few numbers a column and no more; it takes no text.
        is_first_pass = type(statistic) is type(criterion.statistic()) and statistic.is_columnwise
        is_whole = not source.text_columns and not is_rescaled and not isinstance(source, SampledSource)
        self._statistic = statistic if is_first_pass and is_whole else None
        return choice

    @available_if(has_partial_fit)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Add rows, and select anew; until two classes were seen nothing can be selected.

        Parameters
        ----------
        X, y, sample_weight : as in fit
            The rows to add, with their classes and weights.

        Returns
        -------
        Selector
            The selector itself, fitted to all rows so far.
        """
        with PublicEntry(f"{type(self).__name__}.partial_fit", X=X, y=y, sample_weight=sample_weight, selector=self):
            add_rows(self, X, y, sample_weight)
        return self

    def _checked_sentence(self) -> Sentence:
        """Return the criterion and the search; everything is refused that can be before any data are read."""
        check_parameters(self)
        criterion, search = self.sentence()
        check_fit(criterion, search)
        check_constraints(self, search)
        self._check_tests(search)
        return criterion, search

    def _check_columns(self, criterion: AnyCriterion, n_columns: int) -> None:
        """Raise, before any data are read, where there are more columns than the criterion can handle."""
        if isinstance(criterion, ChecksColumns):
            n_folds = (self.cv if isinstance(self.cv, int) else 5) if self.n_features == "auto" else 0
            criterion.check_columns(n_columns, 1 + n_folds)

    def _size(self, space: SearchSpace) -> int | None:
        """Return the number of features to take, a group of columns being one; None where the search decides."""
        return None if self._chooses_size() else space.limit_size(resolve_size(self.n_features, space.n_units))

    def _select(
        self, statistic: Evidence, sentence: Sentence, size: int | None, started: float, notes: tuple[str, ...] = (),
        collected: CollectedRows | None = None,
    ) -> None:  # fmt: skip
        """Bind the criterion to the statistic, run the search, and store the selection with its evidence."""
        criterion, space = sentence[0], self._space
        objective = self._bind(criterion, statistic)
        found, test_notes = self._run_search(sentence, objective, size, collected)
        selection = self._finalize(found, objective)
        name_of = self._source_column_name
        notes += tuple(f"{parameter} has no effect: {why}" for parameter, why in self._without_effect().items())
        notes += space.notes(selection) + note_many_classes(statistic) + note_unobserved(statistic, name_of)
        notes += self._store_sampling_error(selection, criterion, collected) + self._fit_notes(selection, objective)
        notes += test_notes
        of_columns = space.on_source(selection)
        check_finite(of_columns, varying_features(statistic), name_of)
        facts = DataFacts.of(statistic) if collected is None else collected.facts
        provenance = self._provenance(started, facts, notes)
        # What the method stores is about what was searched: columns without those forbidden, groups as one.
        self.support_, self.ranking_, self.scores_ = selection.by_column(space.n_units)
        self._store_fitted(objective, selection)
        for name in (*self._column_attributes, *self._tested_attributes):
            if isinstance(value := getattr(self, name, None), np.ndarray):
                setattr(self, name, space.spread(value))
        self._store_selection(space.on_table(of_columns), provenance)

    def _provenance(self, started: float, facts: DataFacts, notes: tuple[str, ...]) -> Provenance:
        """Return how the selection on these data came about."""
        return Provenance(
            method=self.name or type(self).__name__,
            parameters={key: plain_parameter(value) for key, value in self.get_params(deep=False).items()},
            version=installed_version(),
            n_columns=self.n_features_in_,
            **facts._asdict(),
            seconds=round(time.perf_counter() - started, 6),
            notes=notes,
            objective=self._objective_words(),
        )

    def _store_selection(self, selection: Selection, provenance: Provenance) -> None:
        """Store the selection in the attributes that every selector has."""
        if not selection.indices and not self._is_tested():
            warnings.warn("No features were selected: none passes the threshold.", FewestWarning, stacklevel=4)
        self.support_, self.ranking_, self.scores_ = selection.by_column(self.n_features_in_)
        self.n_features_ = len(selection)
        names = tuple(column_name(self, column) for column in selection.indices)
        self.selection_ = selection.described(names, provenance)
        self.notes_ = provenance.notes

    def _bind(self, criterion: Criterion[Evidence, Bound], statistic: Evidence) -> Bound:
        """Return the criterion's objective on what is searched; an error names the column, where columns have names."""
        name_of = self._source_column_name if hasattr(self, "feature_names_in_") else None
        return self._space.bind(bind_features(criterion, statistic, name_of), features_of(statistic))

    def _source_column_name(self, column: int) -> str:
        """Return the name of a column of the rows that are read, which lack forbidden columns."""
        return column_name(self, self._space.table_column(column))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_missing()
        return tags

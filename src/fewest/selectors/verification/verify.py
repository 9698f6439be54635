"""verify(): a selection is made anew from the data, and compared with what it says."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator, clone

from fewest.data.complete_rows import completed
from fewest.data.source import Source
from fewest.errors import FewestWarning, IncompleteColumns, InvalidInput, InvalidParameter, InvalidType, MissingValues
from fewest.parameters import check_positive, shown
from fewest.protocols import Objective
from fewest.provenance import Provenance
from fewest.selection import Selection, installed_version
from fewest.selectors.adapters.without_columns import WithoutColumns
from fewest.selectors.columns import ColumnsMixin
from fewest.selectors.input import as_source, column_name
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import plain_parameter
from fewest.selectors.verification.rebuilding import prints_alike, rebuild
from fewest.selectors.verification.recomputed import compared, value_of
from fewest.selectors.verification.verification import Check, Verification
from fewest.statistics.class_moments import ClassMoments
from fewest.unexpected import PublicEntry

#: Parameters that change no result.
_WITHOUT_EFFECT = ("verbose", "n_jobs")


def verify(
    selection: Selection,
    X: object,
    y: object = None,
    sample_weight: object = None,
    *,
    groups: object = None,
    selector: object = None,
    tolerance: float = 1e-9,
) -> Verification:
    """Recompute a selection from the data, and say whether it tells the truth.

    The selector is rebuilt from the provenance and fitted anew. Compared are the data, the features, scores and path;
    the value, which the objective gives for the claimed features; the bound, and whether the optimum is proved.

    Parameters
    ----------
    selection : Selection
        The selection, fitted or read by Selection.from_json.
    X : array, sparse matrix or frame of shape (n_rows, n_features_in_), or a Source made by scan()
        The rows that it was made from, in any order, with the columns that were left out.
    y : array of shape (n_rows,) or None, default=None
        The class of each row; None where X is a Source, which has its own.
    sample_weight : array of shape (n_rows,) or None, default=None
        The weight of each row, where the selection was made with weights.
    groups : array of shape (n_rows,) or None, default=None
        The group of each row, where fit was given groups.
    selector : Selector or None, default=None
        The selector, unfitted; needed where its parameters hold what JSON does not: an estimator, or your own classes.
    tolerance : float, default=1e-9
        Numbers agree if they differ by no more than this share of them.

    Returns
    -------
    Verification
        True if every check holds.

    See Also
    --------
    Selection : `selection.verify(X, y)` is the same.
    Verification : The result.

    Notes
    -----
    Costs as much as the fit. A changed parameter that changes no result leaves a true statement, and is accepted; so
    are the seconds that the fit took, which nobody can repeat.

    Examples
    --------
    >>> from fewest import FisherMarkov, Selection, verify
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> stored = FisherMarkov(degree=2, n_features=2).fit(X, y).selection_.to_json()
    >>> bool(verify(Selection.from_json(stored), X, y))
    True
    """
    with PublicEntry("verify", X=X, y=y, sample_weight=sample_weight, selector=selector):
        if not isinstance(selection, Selection):
            raise InvalidType(f"selection must be a Selection, got {type(selection).__name__} instead.")
        check_positive("tolerance", tolerance, below=1)
        provenance = selection.provenance
        if provenance is None:
            raise InvalidInput("This selection does not say how it was made: it has no provenance. Fit a selector.")
        if y is None and not isinstance(X, Source):
            raise InvalidInput("verify needs y, the class of each row.")
        own = rebuild(provenance) if selector is None else _given(selector)
        table = _Table.of(X, y, sample_weight)
        return _Verifying(selection, provenance, own, table, tolerance).run(groups)


class _Columns(ColumnsMixin, BaseEstimator):
    """The number and names of the columns of a table."""


class _Table(NamedTuple):
    """The rows, and the names of all columns."""

    source: Source
    names: Sequence[str]

    @classmethod
    def of(cls, X: object, y: object, sample_weight: object) -> _Table:
        columns = _Columns()
        source = as_source(columns, X, y, sample_weight, is_new=True)
        return cls(source, [column_name(columns, column) for column in range(source.n_features)])

    def without(self, left_out: Sequence[str]) -> tuple[Source, list[int]]:
        """Return the rows without these columns, and the index of each column that is left."""
        aside = set(left_out)
        kept = [column for column, name in enumerate(self.names) if name not in aside]
        if len(kept) == len(self.names):
            return self.source, kept
        chosen = self.source.only(kept)
        if chosen.feature_names is None:
            # A column keeps its number, although others before it are gone.
            chosen.feature_names = [self.names[column] for column in kept]
        return chosen, kept


def _given(selector: object) -> Selector:
    """Return a copy of the selector that the user gives."""
    if isinstance(selector, WithoutColumns):
        selector = selector.selector
    if not isinstance(selector, Selector):
        raise InvalidParameter(f"selector must be a selector such as FisherMarkov(), got {selector!r} instead.")
    own: Selector = clone(selector)
    return own


class _Verifying:
    """The checks of one selection on one table."""

    def __init__(
        self, selection: Selection, provenance: Provenance, selector: Selector, table: _Table, tolerance: float
    ) -> None:
        self.selection, self.provenance, self.selector = selection, provenance, selector
        self.table, self.tolerance = table, tolerance

    def run(self, groups: object) -> Verification:
        """Check the table, then fit anew and check the rest."""
        checks = [self._columns(), self._features(), self._method(), self._parameters()]
        if not all(check.holds for check in checks):
            return self._result(checks, "The rest was not checked: this selection does not fit the table or method.")
        source, kept = self.table.without(self.provenance.left_out)
        try:
            anew, objective, criterion = _fit_anew(self.selector, source, groups)
        except (InvalidInput, InvalidParameter, InvalidType) as error:
            return self._result([*checks, Check("a fit anew", "succeeds", str(error), False)])
        found = anew.provenance
        assert found is not None
        checks += self._data(found)
        if not all(check.holds for check in checks):
            return self._result(checks, "The rest was not checked: the selection was made from other data.")
        value = None if objective is None else self._value(objective, criterion, kept)
        anew = anew.among_all(kept, len(self.table.names), self.table.names)
        checks += compared(self.selection, anew, value, self.tolerance)
        if self.provenance.version == installed_version():
            return self._result([*checks, *self._words(found)])
        versions = f"fewest {shown(self.provenance.version)}, and this is {installed_version()}"
        return self._result(checks, f"The notes were not compared: the selection says it was made by {versions}.")

    def _result(self, checks: Sequence[Check], left_unchecked: str = "") -> Verification:
        words = str(self.selection.certificate)
        if self.selection.is_optimal is None:
            words = "there is nothing to prove: the method has no objective, and takes features by their scores"
        return Verification(tuple(checks), words, self.tolerance, left_unchecked)

    def _value(self, objective: Objective, criterion: object, kept: Sequence[int]) -> float | None:
        """Return the value of the claimed features, less what they cost; None where the objective does not give it.

        kept : the columns of the table that the selector sees
        """
        position, space = {column: index for index, column in enumerate(kept)}, self.selector._space
        if any(column not in position for column in self.selection.indices) or objective.n_columns != space.n_units:
            return None
        units = space.units_of([position[column] for column in self.selection.indices])
        price = 0.0 if units is None else space.constraints.price_of(units)
        if units is None or (price and self.selection.sense == "min"):
            return None
        value = value_of(objective, criterion, replace(self.selection, indices=tuple(units)))
        return None if value is None else value - price

    def _columns(self) -> Check:
        claimed = self.provenance.n_columns + len(self.provenance.left_out)
        unknown = [name for name in self.provenance.left_out if name not in set(self.table.names)]
        if unknown:
            return Check("columns left out", list(self.provenance.left_out), f"no column {unknown[0]!r}", False)
        return Check("columns", claimed, len(self.table.names), claimed == len(self.table.names))

    def _features(self) -> Check:
        """Whether every feature is the column of its index."""
        names, indices = self.table.names, self.selection.indices
        found = [names[column] if column < len(names) else None for column in indices]
        claimed = list(self.selection.features)
        is_distinct = len(set(indices)) == len(indices)
        return Check("features", claimed, found, claimed == found and is_distinct)

    def _method(self) -> Check:
        found = self.selector.name or type(self.selector).__name__
        return Check("method", self.provenance.method, found, self.provenance.method == found)

    def _parameters(self) -> Check:
        """Whether the selector has the parameters that the selection names; others may be new."""
        claimed = self.provenance.parameters
        own = {name: plain_parameter(value) for name, value in self.selector.get_params(deep=False).items()}
        different = [
            name
            for name, value in claimed.items()
            if name not in _WITHOUT_EFFECT and not (name in own and prints_alike(own[name], value))
        ]
        listed = different or sorted(claimed)
        return Check(
            "parameters",
            {name: claimed[name] for name in listed},
            {name: own.get(name) for name in listed},
            not different,
        )

    def _data(self, found: Provenance) -> list[Check]:
        own = self.provenance
        return [
            Check("rows", own.n_rows, found.n_rows, own.n_rows == found.n_rows),
            Check("classes", own.class_counts, found.class_counts, own.class_counts == found.class_counts),
            Check("fingerprint of the data", own.fingerprint, found.fingerprint, own.fingerprint == found.fingerprint),
        ]

    def _words(self, found: Provenance) -> list[Check]:
        """Whether objective and notes read alike; another version may word them otherwise."""
        own = self.provenance
        return [
            Check("objective", own.objective, found.objective, own.objective == found.objective),
            Check("notes", list(own.notes), list(found.notes), own.notes == found.notes),
        ]


def _fit_anew(selector: Selector, source: Source, groups: object) -> tuple[Selection, Any, object]:
    """Fit a selector, and return its selection with the objective and the criterion that it had, where it had some."""
    objectives: list[object] = []
    store = selector._store_fitted

    def store_and_keep(objective: object, selection: Selection) -> None:
        objectives.append(objective)
        store(objective, selection)  # type: ignore[arg-type]

    # Selectors do not keep their objective, which may be as large as the rows.
    selector._store_fitted = store_and_keep  # type: ignore[method-assign]
    selector.verbose = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewestWarning)
        fingerprint = None
        try:
            selector.fit(source, groups=groups)
        except (IncompleteColumns, MissingValues):
            # A comparison filled missing values before the fit; the fingerprint is that of the data as they are.
            selector.fit(completed(source), groups=groups)
            fingerprint = source.with_text_as_codes().collect(ClassMoments()).fingerprint()
        criterion = selector._checked_sentence()[0] if objectives else None
    found = selector.selection_
    if fingerprint is not None and found.provenance is not None:
        found = replace(found, provenance=replace(found.provenance, fingerprint=fingerprint))
    return found, objectives[-1] if objectives else None, criterion

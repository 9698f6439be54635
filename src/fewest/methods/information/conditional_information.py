"""Criteria that look at each candidate together with one selected feature at a time: JMI, CMIM, DISR and relatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.information.beyond_chance import CORRECTIONS
from fewest.methods.information.discretisation.categorical_rows import CategoricalRows
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.discretisation.second_pass import SecondPass
from fewest.methods.information.information_criteria import CategoricalCriterion
from fewest.methods.information.joint_information import JointInformationObjective
from fewest.methods.information.triple_information import Triples, TripleTable
from fewest.parameters import check_choice, check_not_negative
from fewest.protocols import Objective

FIRST = ("relevance", "pair")
#: Added to upper bounds, which rounding must not make too low.
_SLACK = 1e-9


class Bounds(NamedTuple):
    """What limits the terms of columns x with a selected s and the class c, in nats; see Triples.

    conditional : no less than I(x; c | s)
    redundancy : no less than I(x; s) and I(x; s | c)
    relevance, of_selected : I(x; c), I(s; c)
    entropy : no more than H(x, s, c)
    is_corrected : whether a column may have many categories, and a correction
    """

    conditional: Floats
    redundancy: Floats
    relevance: Floats
    of_selected: float
    entropy: float
    is_corrected: bool


class Form(NamedTuple):
    """How the value of a column is made up of one term for each selected column.

    start : the value without any term: "zero", "relevance" or "infinity"
    term : of columns with one selected column; the number is redundancy_weight
    is_minimum : whether the value is the least of start and terms, not their sum
    bound : no less than a term; None where terms are not above zero, or the value is a minimum: then what is known
        of it is its upper bound
    """

    start: str
    term: Callable[[Triples, float], Floats]
    is_minimum: bool = False
    bound: Callable[[Bounds, float], Floats] | None = None


def _normalized(t: Triples, weight: float) -> Floats:
    return np.divide(t.joint, t.entropy, out=np.zeros_like(t.joint), where=t.entropy > 0)


def _normalized_bound(b: Bounds, weight: float) -> Floats:
    return np.minimum((b.of_selected + b.conditional) / max(b.entropy, np.finfo(float).tiny), 1.0)


def _conditional_redundancy(t: Triples, weight: float) -> Floats:
    return weight * np.maximum(t.conditional - t.relevance + t.redundancy, 0.0)


def _conditional_redundancy_bound(b: Bounds, weight: float) -> Floats:
    return weight * (b.redundancy + b.conditional if b.is_corrected else b.redundancy)


FORMS = {
    "jmi": Form("zero", lambda t, _: t.joint, bound=lambda b, _: b.of_selected + b.conditional),
    "disr": Form("zero", _normalized, bound=_normalized_bound),
    "jmim": Form("infinity", lambda t, _: t.joint, is_minimum=True),
    "njmim": Form("infinity", _normalized, is_minimum=True),
    "cmim": Form("relevance", lambda t, _: t.conditional, is_minimum=True),
    "icap": Form("relevance", lambda t, _: np.minimum(t.conditional - t.relevance, 0.0)),
    "mifs": Form("relevance", lambda t, weight: -weight * t.redundancy),
    "cife": Form("relevance", lambda t, _: t.conditional - t.relevance, bound=lambda b, _: b.conditional - b.relevance),
    "condred": Form("relevance", _conditional_redundancy, bound=_conditional_redundancy_bound),
}
#: All of them, and the one that looks at all selected columns at once.
ALL_FORMS = (*FORMS, "cmi")


class ConditionalInformationObjective(Objective):
    """The value of each column in addition to those selected, made up of a term for each of these.

    Terms are added in the order in which columns were selected, and kept: few columns at a time give the same numbers,
    to the bit, as all at once.

    n_evaluated : the number of pairs of columns whose information with the class was computed
    """

    def __init__(self, triples: TripleTable, form: Form, weight: float, first: str) -> None:
        self.triples, self.table = triples, triples.table
        self.n_columns = self.table.n_columns
        self.form, self.weight, self.first = form, weight, first
        self._selected: list[int] = []
        self._first_scores: Floats | None = None
        self._start: Floats = np.where(self.table.is_observed, 0.0, np.nan)
        if form.start == "relevance":
            self._start = self.table.relevance
        elif form.start == "infinity":
            self._start = np.where(self.table.is_observed, np.inf, np.nan)
        self._values = self._start.copy()
        #: The number of selected columns that each column's value counts, and what the others can add at most.
        self._counted: Indices = np.zeros(self.n_columns, dtype=np.intp)
        self._pending: Floats = np.zeros(self.n_columns)
        self.n_evaluated = 0

    def score_features(self) -> Floats:
        """Return the scores that decide on the first column: its relevance, or the information of its best pair."""
        if self.first == "relevance":
            return self.table.relevance
        if self._first_scores is None:
            self._first_scores = best_pairs(self.triples)
        return self._first_scores

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return the value of each of these columns in addition to those selected."""
        self._update(selected)
        if not self._selected:
            return self.score_features()[among]
        for index in range(int(self._counted[among].min(initial=len(selected))), len(selected)):
            columns = among[self._counted[among] <= index]
            terms = self.form.term(self.triples.of(self._selected[index], columns), self.weight)
            combine = np.minimum if self.form.is_minimum else np.add
            # NaN, of a column that was never observed, stays.
            self._values[columns] = combine(self._values[columns], terms)
            self.n_evaluated += len(columns)
        self._counted[among] = len(selected)
        self._pending[among] = 0.0
        return self._values[among]

    def bound_additions(self, selected: Sequence[int]) -> Floats:
        """Return an upper bound of each column's value: terms that are not evaluated yet add at most theirs."""
        self._update(selected)
        return self._values + self._pending if self._selected else self.score_features()

    def _update(self, selected: Sequence[int]) -> None:
        """Continue from the columns selected so far, or start again where these are others."""
        if self._selected != list(selected[: len(self._selected)]):
            self._values[:], self._counted[:], self._pending[:] = self._start, 0, 0.0
            self._selected = []
        for column in selected[len(self._selected) :]:
            self._selected.append(column)
            if self.form.bound is not None:
                self._pending += self._bound(column)

    def _bound(self, selected: int) -> Floats | float:
        """Return what a selected column adds to the value of each column at most."""
        assert self.form.bound is not None
        if self.table.has_missing:
            # Over the rows where two columns are observed, entropies may be higher than over all rows.
            return np.inf
        entropies, of_class = self.triples.entropies[:-1], float(self.triples.entropies[-1])
        relevance, is_corrected = self.triples.relevance, bool(self.table.is_corrected.any())
        of_selected = float(relevance[selected])
        joint_entropy = of_class + (0.0 if is_corrected else entropies[selected] - of_selected)
        bounds = Bounds(
            np.minimum(entropies, max(of_class - of_selected, 0.0)), np.minimum(entropies, entropies[selected]),
            relevance, of_selected, joint_entropy, is_corrected,
        )  # fmt: skip
        return self.form.bound(bounds, self.weight) + _SLACK


class ConditionalOnAllObjective(JointInformationObjective):
    """I(x; c | S): by how much each column raises the joint information of those selected with the class."""

    def __init__(self, triples: TripleTable, first: str) -> None:
        super().__init__(triples.table)
        self._first_scores = best_pairs(triples) if first == "pair" else self.table.relevance

    def score_features(self) -> Floats:
        """Return the scores that decide on the first column: its relevance, or the information of its best pair."""
        return self._first_scores

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """Return what each of these columns adds; from where none adds anything, its relevance."""
        if not selected:
            return self._first_scores[among]
        found = super().score_additions(selected, among)
        if self.saturated_at is not None and len(selected) >= self.saturated_at:
            return found
        return found - self._joint.information()

    def bound_additions(self, selected: Sequence[int]) -> Floats:
        """Return infinity: what a column adds may grow with the columns selected."""
        return np.where(self.table.is_observed, np.inf, np.nan)


def best_pairs(triples: TripleTable) -> Floats:
    """Return, for each column x, the largest I(x, s; c) with another column s; all pairs are evaluated."""
    table = triples.table
    columns = np.flatnonzero(table.is_observed)
    best = np.where(table.is_observed, table.relevance, np.nan)
    # Beyond chance, a pair has two values: the other column of many categories may be either.
    is_corrected = bool(table.is_corrected.any())
    for index, selected in enumerate(columns.tolist()):
        others = np.delete(columns, index) if is_corrected else columns[index + 1 :]
        if len(others) == 0:
            break
        found = triples.of(selected, others).joint
        best[others] = np.maximum(best[others], found)
        best[selected] = max(best[selected], found.max())
    return best


@dataclass(frozen=True)
class ConditionalInformation(CategoricalCriterion):
    """The information of a feature with the class, in the light of each selected feature; by its `form`.

    With x the candidate, c the class, s the selected features S, one after the other:

    - "jmi": sum of I(x, s; c)
    - "disr": sum of I(x, s; c) / H(x, s, c)
    - "jmim", "njmim": the least I(x, s; c), the least I(x, s; c) / H(x, s, c)
    - "cmim": the least of I(x; c) and all I(x; c | s)
    - "icap": I(x; c) - sum of max(0, I(x; s) - I(x; s | c))
    - "cife": I(x; c) - sum of I(x; s) + sum of I(x; s | c)
    - "mifs": I(x; c) - redundancy_weight * sum of I(x; s)
    - "condred": I(x; c) + redundancy_weight * sum of I(x; s | c)
    - "cmi": I(x; c | S), over the joint categories of all of S

    The first feature is that of the highest I(x; c).

    Parameters
    ----------
    form : {"jmi", "disr", "jmim", "njmim", "cmim", "icap", "mifs", "cife", "condred", "cmi"}, default="jmi"
        Which of them.
    discretizer : Discretizer, default=Discretizer()
        How columns become categories.
    correction : {"auto", None}, default="auto"
        As in fewest.MRMR; I(x; c | s) counts what is beyond chance within each category of s.
    redundancy_weight : float, default=1.0
        The factor of the sum in "mifs" and "condred", 0 or more; no effect in the others.
    first : {"relevance", "pair"}, default="relevance"
        "pair": the first feature is one of the two with the highest I(x, s; c), of all pairs; the second will be the
        other one where the form takes it so ("jmi", "jmim", "cmi").

    See Also
    --------
    fewest.JMI, fewest.CMIM, fewest.JMIM, fewest.DISR : Selectors with this criterion, and their references.
    RelevanceRedundancy : The same without what two features share with the class only together.
    JointInformation : The information of all selected features together.

    Notes
    -----
    Keeps the rows, a byte a value where they are integers of a narrow range, or as bits where a large stream is read
    twice. A pair of columns costs O(n_rows). Does not see what three features share with the class only together.

    References
    ----------
    Brown, Pocock, Zhao and Luján (2012), Conditional likelihood maximisation: a unifying framework for information
    theoretic feature selection. JMLR 13, 27-66. https://www.jmlr.org/papers/v13/brown12a.html

    Examples
    --------
    >>> from fewest import ConditionalInformation, FeatureSelector, GreedyForward, scan
    >>> selector = FeatureSelector(ConditionalInformation("cmim"), GreedyForward(), n_features=3)
    >>> selector.fit(scan("wine")).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    form: str = "jmi"
    discretizer: Discretizer = field(default_factory=Discretizer)
    correction: str | None = "auto"
    redundancy_weight: float = 1.0
    first: str = "relevance"

    counts: ClassVar[str] = "rows"
    offers: ClassVar[frozenset[str]] = frozenset({"score_features", "score_additions", "bound_additions"})

    def __post_init__(self) -> None:
        check_choice("form", self.form, ALL_FORMS)
        check_choice("correction", self.correction, CORRECTIONS)
        check_choice("first", self.first, FIRST)
        check_not_negative("redundancy_weight", self.redundancy_weight)

    @property
    def needs_all_rows(self) -> bool:
        """Whether counts of parts of the rows are not enough."""
        return self.form == "cmi"

    def bind(self, rows: CategoricalRows | SecondPass) -> ConditionalInformationObjective | ConditionalOnAllObjective:
        """Return the objective on these rows."""
        triples = TripleTable(self.category_table(rows))
        if self.form == "cmi":
            return ConditionalOnAllObjective(triples, self.first)
        return ConditionalInformationObjective(triples, FORMS[self.form], self.redundancy_weight, self.first)

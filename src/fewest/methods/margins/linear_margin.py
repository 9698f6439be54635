"""The criteria of SVM weights, SVM-RFE, L1SVM, FSV and L0SVM: the weights of linear SVMs on all columns."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from fewest.arrays import Codes, Floats, Indices
from fewest.errors import InvalidInput
from fewest.memory import SVM_MATRICES, check_memory
from fewest.methods.margins.hinge_program import concave_svm_weights, l1_svm_path
from fewest.methods.margins.linear_svms import TIE, NestedLinearSvms, rescaled_svm_shares
from fewest.objectives import ColumnScores, CombinesScores
from fewest.objectives.grouped_columns import ColumnGroups
from fewest.parameters import check_positive
from fewest.protocols import Objective
from fewest.selectors.docstrings import compose_docstring
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import (
    PreparedRows,
    content_order,
    merge_duplicates,
    reject_missing_values,
    varying_columns,
)
from fewest.statistics.rows import Rows


@dataclass(frozen=True)
class LinearSvmCriterion:
    """Base of criteria that fit linear SVMs, one per class against the rest where there are more than two.

    Parameters
    ----------
    scale : {"std", "range", "symmetric"} or None, default="std"
        The scaling of the columns; a constant column has weight zero.
    """

    scale: str | None = "std"

    offers: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_features"})
    scores_jointly: ClassVar[bool] = True
    allows_missing: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        compose_docstring(cls)

    def __post_init__(self) -> None:
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()


@dataclass(frozen=True)
class PenalizedSvmCriterion(LinearSvmCriterion):
    """Base of those whose loss has a penalty C.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the loss.
    """

    C: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("C", self.C)


class LinearMarginObjective(Objective):
    """The weights of linear SVMs on all columns, and on subsets that lose columns one after the other."""

    def grouped(self, groups: ColumnGroups) -> GroupedLinearMargin:
        """Return the objective on features: what all their columns add."""
        return GroupedLinearMargin(self, groups)

    def __init__(self, rows: PreparedRows, C: float) -> None:
        self.rows = rows
        self.n_columns = rows.n_columns
        self.svms = NestedLinearSvms(rows.columns, C * rows.weights, one_versus_rest_signs(rows.codes), rows.varying)
        #: The position of each column among those that vary, or -1.
        self._position = np.full(self.n_columns, -1, dtype=np.intp)
        self._position[rows.varying] = np.arange(len(rows.varying))
        #: Whether all columns vary, so that each is its own position: elimination asks thousands of times.
        self._all_vary = np.array_equal(rows.varying, np.arange(self.n_columns))

    @property
    def n_removed_first(self) -> int:
        """The number of columns that do not vary."""
        return self.n_columns - len(self.rows.varying)

    def score_features(self) -> Floats:
        """The norm of each column's weights; 0 for a constant column, NaN for one without a value."""
        return self.rows.expand(self.svms.weight_norms())

    def weights_on(self, columns: Indices) -> Floats:
        """The norm of each of these columns' weights in SVMs on these columns alone."""
        positions = self._position[columns]
        weights = np.zeros(len(columns))
        weights[positions >= 0] = self.svms.weight_norms_on(positions[positions >= 0])
        return weights

    def least_members(self, selected: Sequence[int] | Indices, count: int) -> Indices:
        """The selected columns with the smallest weights in SVMs on the selected columns alone, ascending.

        Of weights within 1e-12 the highest column comes first; columns without a value, then constant ones, before all.
        """
        columns = np.asarray(selected)
        if self._all_vary:
            return self.svms.smallest(columns, count)
        positions = self._position[columns]
        is_constant = positions < 0
        if not is_constant.any():
            return self.rows.varying[self.svms.smallest(positions, count)]
        constant = np.sort(columns[is_constant])[::-1]
        first = constant[np.argsort(self.rows.is_observed[constant], kind="stable")][:count]
        if len(first) == count:
            return first
        smallest = self.svms.smallest(positions[~is_constant], count - len(first))
        return np.concatenate([first, self.rows.varying[smallest]])


class GroupedLinearMargin(Objective):
    """What each feature adds to the SVMs, on all features and on subsets."""

    def __init__(self, of_columns: LinearMarginObjective, groups: ColumnGroups) -> None:
        self.of_columns, self.groups, self.n_columns = of_columns, groups, groups.n_features
        self._factors = contribution_sizes(of_columns.rows)

    def score_features(self) -> Floats:
        """The size of what each feature adds to the SVMs, as in contribution_sizes; NaN for one without a value."""
        return self.groups.combine(self._factors * self.of_columns.score_features(), "norm")

    def least_members(self, selected: Sequence[int] | Indices, count: int) -> Indices:
        """The selected features with the smallest norms in SVMs on the selected features alone, as for columns."""
        features = np.sort(np.asarray(selected, dtype=np.intp))
        weights = np.zeros(len(self.groups.feature_of))
        columns = self.groups.columns_of(features)
        weights[columns] = self.of_columns.weights_on(columns)
        norms = self.groups.combine(self._factors * weights, "norm")[features]
        is_observed = self.of_columns.rows.is_observed[self.groups.firsts[features]]
        # Weights that differ by less are ties, and the highest of them goes first.
        ranks = np.round(norms / (10 * TIE)) if norms.max(initial=0.0) < 1e3 else norms
        return features[np.lexsort((-features, ranks, is_observed))][:count]


@dataclass(frozen=True)
class LinearMargin(PenalizedSvmCriterion):
    """Score columns by their weights in a linear SVM with squared hinge loss.

    See Also
    --------
    fewest.SVMWeights, fewest.SVMRFE : The selectors with this criterion, and their references.
    SparseMargin : The weights of an SVM with an L1 penalty.

    Notes
    -----
    score_j = ||w_j|| over the one-versus-rest SVMs; formula and memory are those of SVMWeights. Needs complete Rows.

    Examples
    --------
    >>> from fewest import FeatureSelector, LinearMargin, RecursiveElimination, scan
    >>> FeatureSelector(LinearMargin(), RecursiveElimination(), n_features=3).fit(scan("wine")).selection_.features
    ('color_intensity', 'proline', 'flavanoids')
    """

    offers: ClassVar[frozenset[str]] = frozenset({"n_columns", "score_features", "least_members"})

    def bind(self, rows: Rows) -> LinearMarginObjective:
        check_svm_memory(rows)
        return LinearMarginObjective(svm_rows(rows, self.scale, rows_first=True), float(self.C))


class SparseWeights(ColumnScores):
    """The weights of SVMs that use few columns, and scores that may also rank columns of weight zero."""

    def __init__(self, rows: PreparedRows, weights: Floats, scores: Floats) -> None:
        super().__init__(rows.expand(scores), combines="norm")
        self.rows, self.weights = rows, rows.expand(weights)

    def grouped(self, groups: CombinesScores) -> Self:
        """Return weights and scores of features, by what their columns add."""
        # What features add is known already where features are grouped.
        grouped, factors = copy(self), 1.0 if self._combined else contribution_sizes(self.rows)
        grouped.scores, grouped.weights = (groups.combine(factors * w, "norm") for w in (self.scores, self.weights))
        grouped.n_columns, grouped._combined = len(grouped.scores), (*self._combined, groups)
        return grouped


@dataclass(frozen=True)
class SparseMargin(PenalizedSvmCriterion):
    """Score columns by their weights in a linear SVM with an L1 penalty.

    See Also
    --------
    fewest.L1SVM : The selector with this criterion, and its reference.
    ConcaveMargin : A concave penalty, which leaves fewer weights.

    Notes
    -----
    score_j = ||w_j|| over the one-versus-rest SVMs; L1SVM has the formula. Columns of weight zero score below, in the
    order in which they enter as C grows. Needs complete Rows. Copies of a column have the same score.

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, SparseMargin, scan
    >>> FeatureSelector(SparseMargin(C=0.1), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('proline', 'color_intensity', 'flavanoids')
    """

    def bind(self, rows: Rows) -> SparseWeights:
        ready = svm_rows(rows, self.scale)
        signs = one_versus_rest_signs(ready.codes)
        weights, scores = l1_svm_path(ready.columns, signs, ready.weights, float(self.C))
        return SparseWeights(ready, weights, scores)


@dataclass(frozen=True)
class ConcaveMargin(LinearSvmCriterion):
    """Score columns by their weights in a linear SVM with a concave penalty.

    Parameters
    ----------
    suppression : float, default=0.05
        Share of the penalty in the objective, between 0 and 1: the lambda of the paper.
    steepness : float, default=5.0
        How fast the penalty of a weight approaches 1: the alpha of the paper.

    See Also
    --------
    fewest.FSV : The selector with this criterion, and its reference.
    SparseMargin : A convex penalty, solved to the optimum.

    Notes
    -----
    score_j = ||w_j|| over the one-versus-rest SVMs; FSV has the formula. From w = 0 on the penalty is replaced by its
    tangent and the linear program solved, until that gains less than 1e-6. Columns of weight zero score below, in the
    order of the first linear program. Needs complete Rows. Copies of a column have the same score.

    Examples
    --------
    >>> from fewest import ConcaveMargin, FeatureSelector, IndividualRanking, scan
    >>> FeatureSelector(ConcaveMargin(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    suppression: float = 0.05
    steepness: float = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("suppression", self.suppression, below=1.0)
        check_positive("steepness", self.steepness)

    def bind(self, rows: Rows) -> SparseWeights:
        ready = svm_rows(rows, self.scale)
        signs, parameters = one_versus_rest_signs(ready.codes), (float(self.suppression), float(self.steepness))
        return SparseWeights(ready, *concave_svm_weights(ready.columns, signs, ready.weights, *parameters))


@dataclass(frozen=True)
class RescaledMargin(PenalizedSvmCriterion):
    """Score columns by what remains when they are repeatedly multiplied by their linear SVM weights.

    See Also
    --------
    fewest.L0SVM : The selector with this criterion, and its reference.
    LinearMargin : The weights of the first SVM, without rescaling.

    Notes
    -----
    z = 1; repeat z_j = z_j ||w_j||, w of LinearMargin on x_j z_j, until no share z_j / sum z changes by 1e-6, at most
    30 times. A column below 1e-10 of the largest is dropped, and scores below the shares of those left, later ones
    higher. It approximates the SVM with the fewest features. Needs complete Rows and the matrices of LinearMargin.

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, RescaledMargin, scan
    >>> FeatureSelector(RescaledMargin(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('color_intensity', 'flavanoids', 'proline')
    """

    def bind(self, rows: Rows) -> SparseWeights:
        check_svm_memory(rows)
        ready = svm_rows(rows, self.scale, rows_first=True)
        signs = one_versus_rest_signs(ready.codes)
        shares, scores = rescaled_svm_shares(ready.columns, signs, float(self.C) * ready.weights)
        return SparseWeights(ready, shares, scores)


def svm_rows(rows: Rows, scale: str | None, *, rows_first: bool = False) -> PreparedRows:
    """Distinct rows and varying columns, each in the order of their content, scaled: no order changes an answer.

    rows_first : in memory one row after the other where there are more rows than columns, else one column
    """
    check_two_classes(rows)
    advice = "or use a method that takes missing values, such as MRMR or ReliefF"
    reject_missing_values(rows, "a linear SVM sums over all columns of a row", advice)
    varying = varying_columns(rows, scale)
    distinct = merge_duplicates(rows)
    prepared = PreparedRows(distinct, *content_order(distinct), varying, layout="F")
    prepared.sort_columns()
    prepared.scale_by_rows(scale)
    if rows_first and len(prepared.values) > len(prepared.varying):
        prepared.values = np.ascontiguousarray(prepared.values)
    return prepared


def contribution_sizes(rows: PreparedRows) -> Floats:
    """By column, the factors with which weights are what columns add to an SVM, by degree of freedom.

    1 for a column of numbers. The norm of the weights of K indicators with these factors is the standard deviation of
    what they add (as if they did not correlate), in units of their own, over the root of K - 1: without a relation to
    the class it is that of a column of numbers, whatever K is.
    """
    factors = np.ones(rows.n_columns)
    if rows.moments.feature_of is None:
        return factors
    groups = ColumnGroups(rows.moments.feature_of)
    scatter = np.zeros(rows.n_columns)
    total = float(rows.weights.sum())
    mean = rows.weighted_sums(rows.values) / total
    scatter[rows.varying] = rows.weighted_sums(np.square(rows.values - mean)) / total
    of_features = np.maximum(groups.sums(scatter), np.finfo(float).tiny) * groups.degrees
    shares = np.sqrt(scatter / of_features[groups.feature_of])
    return np.where(groups.sizes[groups.feature_of] > 1, shares, factors)


def one_versus_rest_signs(codes: Codes) -> Floats:
    """(n_svms, n_rows) 1 for the rows of a class and -1 for the rest; one SVM where there are two classes."""
    present = np.unique(codes)
    if len(present) == 2:
        present = present[:1]
    return np.where(codes == present[:, None], 1.0, -1.0)


def check_two_classes(rows: Rows) -> None:
    """Raise unless there are rows of at least two classes."""
    n_classes = len(np.unique(rows.codes))
    if n_classes < 2:
        problem = f"There are {rows.n_rows} row(s) of {n_classes} class(es), and an SVM separates two classes."
        raise InvalidInput(f"{problem} Give rows of at least two classes.")


def check_svm_memory(rows: Rows, max_bytes: float = SVM_MATRICES) -> None:
    """Raise where the matrices of the SVMs take more memory than is allowed."""
    n_classes = len(np.unique(rows.codes))
    n_svms = n_classes if n_classes > 2 else 1
    side = min(rows.n_rows, rows.n_features + 1)
    what = f"The matrices of {n_svms} SVM(s) on {rows.n_rows:,} rows of {rows.n_features:,} columns take"
    advice = "Select columns first, such as by FisherMarkov(n_features=1000), or use a sample (sample=10000)."
    check_memory(8 * side**2 * (n_svms + 1), max_bytes, what, advice)

"""The criterion of non-monotonic MKL: the margin and the loss of SVMs on a subset of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.data.labels import sort_classes
from fewest.methods.margins.linear_margin import check_two_classes, one_versus_rest_signs
from fewest.methods.margins.mkl.fixed_subset import solve_svms
from fewest.methods.margins.mkl.mkl_program import MklProgram
from fewest.methods.margins.mkl.subset_svms import SubsetSvms
from fewest.objectives import SubsetObjective, column_indices
from fewest.objectives.grouped_columns import ColumnGroups, GroupedObjective
from fewest.parameters import as_float, is_number, wrong
from fewest.statistics.class_moments import check_scale
from fewest.statistics.prepared_rows import PreparedRows, order_by_class_size, varying_columns
from fewest.statistics.rows import Rows
from fewest.threads import one_blas_thread, run_on_threads


class MarginRows(PreparedRows):
    """Rows by class size and content, whatever their order, scaled about the column means; missing values are the mean.

    label_codes : the code of each class, in the order of the labels
    """

    def __init__(self, rows: Rows, scale: str | None) -> None:
        check_two_classes(rows)
        order, ranks = order_by_class_size(rows)
        super().__init__(rows, order, ranks, varying_columns(rows))
        self.centre_and_fill(scale)
        self.values = np.asfortranarray(self.values)
        present = set(rows.codes.tolist())
        self.label_codes: Indices = ranks[[c for c in sort_classes(rows.classes) if c in present]]


class SvmMarginObjective(SubsetObjective):
    """The value of a subset: the share of w() that its SVMs save, 1 - w(S) / w().

    subset_svms : the SVMs of any subset and the relaxed program of any size
    is_monotone : a column more is a weight more that may stay zero
    """

    is_monotone: ClassVar[bool] = True

    def __init__(self, rows: MarginRows, C: float, tau: float) -> None:
        self.rows = rows
        self.C, self.tau = float(C), float(tau)
        self.is_observed = rows.is_observed
        self.n_columns = len(rows.is_observed)
        signs = one_versus_rest_signs(rows.codes)
        program = MklProgram(rows.values, signs, self.C * rows.weights, self.tau / rows.weights)
        self.subset_svms = SubsetSvms(program, rows.varying, rows.is_observed)

    def grouped(self, groups: ColumnGroups) -> GroupedObjective:
        """Return the objective on features."""
        return GroupedObjective(self, groups)

    def score_features(self) -> Floats:
        """The value of each column on its own; NaN for a column without a value."""
        scores = np.where(self.is_observed, 0.0, np.nan)
        program, rows = self.subset_svms.program, self.rows
        for position, column in enumerate(rows.varying.tolist()):
            # Rows in the order of the column's values, so that other columns cannot change the last digit.
            order = np.lexsort((rows.weights, rows.values[:, position], rows.codes))
            own, signs = program.columns[order][:, [position]], program.signs[:, order]
            with one_blas_thread():
                alone = solve_svms(MklProgram(own, signs, program.caps[order], program.ridges[order]))
            scores[column] = self._saved(alone.value)
        return scores

    def score_subset(self, subset: Sequence[int]) -> float:
        """The value of a subset: 0 for none, 1 where w is 0."""
        return self._saved(self.subset_svms.fit(column_indices(subset, self.n_columns)).value)

    def score_subsets(self, subsets: Sequence[Sequence[int]]) -> Floats:
        """The value of each subset; the SVMs are not kept."""
        columns = [column_indices(subset, self.n_columns) for subset in subsets]
        values = np.empty(len(columns))

        def score(i: int) -> None:
            values[i] = self._saved(self.subset_svms.value(columns[i]))

        self.subset_svms.fit(())
        run_on_threads([partial(score, i) for i in range(len(columns))])
        return values

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """By how much each of these columns, added, raises the value of those selected; NaN for one without a value."""
        return np.where(self.is_observed[among], super().score_additions(selected, among), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """By how much each of these columns, removed, raises the value of the rest; NaN for one without a value."""
        return np.where(self.is_observed[among], super().score_removals(selected, among), np.nan)

    def by_class(self, by_svm: Floats, *, is_signed: bool) -> Floats:
        """Arrays of the SVMs in the order of the class labels; of two classes one array, signed for the second."""
        codes = self.rows.label_codes
        if len(by_svm) > 1:
            return by_svm[codes]
        return np.asarray(-by_svm[0] if is_signed and codes[0] == 0 else by_svm[0])

    def _saved(self, value: float) -> float:
        without = self.subset_svms.fit(()).value
        return (without - value) / without


@dataclass(frozen=True)
class SvmMargin:
    """The margin and the loss of a linear SVM on a subset of the columns, in one number.

    Parameters
    ----------
    C : float, default=1.0
        Upper bound of alpha: the largest slope of the loss of a row.
    tau : float, default=1.0
        Softness of the loss: quadratic up to tau C, then linear.
    scale : {"std", "range", "symmetric"} or None, default="std"
        The unit of the columns; they are centred, and missing values are the mean.

    See Also
    --------
    fewest.NonMonotonicMKL : The selector with this criterion, and its reference.
    fewest.searches.RelaxAndRound : The search for a subset of a given size.

    Notes
    -----
    w(S) = max over alpha of 2 sum_n alpha_n - sum_{i in S} (sum_n alpha_n y_n x_ni)^2 - tau sum_n alpha_n^2, subject to
    0 <= alpha <= C and sum_n alpha_n y_n = 0: twice the minimum of ||v||^2 / 2 plus the loss, so lower is better.
    score_subset is 1 - w(S) / w(), higher is better (Xu et al. 2009, Eqs. 3 to 8). With more than two classes w is
    summed over the one-versus-rest SVMs. Needs Rows. Cannot see what features share with the class only by products.

    Examples
    --------
    >>> from fewest import FeatureSelector, RelaxAndRound, SvmMargin, scan
    >>> chosen = FeatureSelector(SvmMargin(), RelaxAndRound(), n_features=3).fit(scan("wine")).selection_
    >>> chosen.features, chosen.is_optimal
    (('color_intensity', 'proline', 'flavanoids'), False)
    """

    C: float = 1.0
    tau: float = 1.0
    scale: str | None = "std"

    offers: ClassVar[frozenset[str]] = frozenset(
        {"n_columns", "score_features", "score_subset", "score_additions", "score_removals", "subset_svms"}
    )

    def __post_init__(self) -> None:
        for name, value in (("C", self.C), ("tau", self.tau)):
            if not is_number(value) or not 1e-9 <= as_float(value) <= 1e9:
                raise wrong(name, "a number from 1e-9 to 1e9", value)
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> SvmMarginObjective:
        return SvmMarginObjective(MarginRows(rows, self.scale), self.C, self.tau)

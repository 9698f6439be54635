"""How well machines of large margin do on some columns only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.errors import InvalidParameter
from fewest.methods.margins.machine_rows import one_versus_rest_signs
from fewest.methods.margins.mkl.column_generation import Relaxation
from fewest.methods.margins.mkl.exchanges import swap_gains
from fewest.methods.margins.mkl.factorizations import Factored
from fewest.methods.margins.mkl.fixed_subset import first_better_exchange, fitted
from fewest.methods.margins.mkl.margin_program import MarginProgram, Relaxed
from fewest.methods.margins.mkl.margin_rows import MarginRows
from fewest.objectives import SubsetObjective, column_indices
from fewest.parameters import is_number, wrong
from fewest.statistics.rows import Rows
from fewest.statistics.scaling import check_scale
from fewest.threads import one_blas_thread


class SvmMarginObjective(SubsetObjective):
    """w of any set of columns and of any size's best weighting; each set is solved once.

    n_columns : how many columns there are
    C, tau : those in use
    """

    is_additive = False

    def __init__(self, rows: MarginRows, C: float, tau: float) -> None:
        self.rows = rows
        self.C, self.tau = float(C), float(tau)
        self.n_columns = len(rows.is_observed)
        self.is_observed = rows.is_observed
        self._place = np.full(self.n_columns, -1)
        self._place[rows.varying] = np.arange(len(rows.varying))
        signs = one_versus_rest_signs(rows.codes)
        self.program = MarginProgram(rows.values, signs, self.C * rows.weights, self.tau / rows.weights)
        self._relaxation = Relaxation(self.program)
        self._relaxed: dict[int, Relaxed] = {}
        self._fitted: dict[tuple[int, ...], Relaxed] = {}

    def relax(self, size: int) -> Relaxed:
        """The best weighting of this size, over all columns; a column that does not vary has none of it."""
        if size not in self._relaxed:
            with one_blas_thread():
                self._relaxed[size] = self._over_all(self._relaxation.best(size))
        return self._relaxed[size]

    def machines(self, subset: Sequence[int], near: Relaxed | None = None) -> Relaxed:
        """The machines that use these columns, all of each; their value is w.

        near : machines on a set that is much the same, from which these are found faster
        """
        start = None if near is None else (near.alpha, near.offsets)
        return self._over_all(self._machines(self._places(column_indices(subset, self.n_columns)), start))

    def first_better(
        self, subset: Sequence[int], outs: Sequence[int], intos: Sequence[int], bounds: Floats, tie: float, n_tries: int
    ) -> tuple[int, Relaxed] | None:
        """The first exchange of a column of the subset for another by which w falls, and the machines after it.

        bounds : no less is w known to be after each exchange; where that is no better it is not tried
        tie : a share of w by which it must fall at least
        n_tries : so many are tried at most
        """
        inside = self._places(column_indices(subset, self.n_columns))
        from_, to = self._place[np.asarray(outs, dtype=np.intp)], self._place[np.asarray(intos, dtype=np.intp)]
        usable = np.flatnonzero((from_ >= 0) & (to >= 0))
        now = self._machines(inside)
        exchange = first_better_exchange(
            self.program, inside, np.searchsorted(inside, from_[usable]), to[usable], bounds[usable],
            now, now.value * (1 - tie), n_tries,
        )  # fmt: skip
        if exchange is None:
            return None
        place, alpha, offsets = exchange
        chosen = int(usable[place])
        after = np.sort(np.append(inside[inside != from_[chosen]], to[chosen]))
        return chosen, self._over_all(self._machines(after, (alpha, offsets)))

    def weighted(self, weighting: Floats) -> float:
        """w of a weighting that may take columns in part, one number of at least 0 for each column."""
        given = np.asarray(weighting, dtype=np.float64)
        if given.shape != (self.n_columns,) or not (np.isfinite(given).all() and (given >= 0).all()):
            raise InvalidParameter(f"A weighting is {self.n_columns} numbers of at least 0, one for each column.")
        part = given[self.rows.varying]
        scaled = self.program.columns[:, part > 0] * np.sqrt(part[part > 0])
        with one_blas_thread():
            return fitted(replace(self.program, columns=np.asfortranarray(scaled))).value

    def swap_gains(self, subset: Sequence[int], others: Sequence[int]) -> Floats:
        """Columns of the subset by others: by how much w falls, about, where the one is exchanged for the other."""
        inside, outside = np.asarray(subset, dtype=np.intp), np.asarray(others, dtype=np.intp)
        gains = np.zeros((len(inside), len(outside)))
        from_, to = self._place[inside] >= 0, self._place[outside] >= 0
        own = self._place[inside[from_]]
        with one_blas_thread():
            found = swap_gains(self.program, own, self._machines(np.sort(own)), self._place[outside[to]])
        gains[np.ix_(from_, to)] = found
        return gains

    def by_class(self, of_machines: Floats, *, is_signed: bool) -> Floats:
        """What belongs to the machines, a line for each class in the order of the labels; of two classes, one line, and
        signed numbers are positive for the second."""
        places = self.rows.label_ranks
        if len(of_machines) > 1:
            lines = np.empty_like(of_machines)
            lines[places] = of_machines
            return lines
        line: Floats = of_machines[0]
        return -line if is_signed and places[0] == 0 else line

    def by_row(self, alpha: Floats) -> Floats:
        """Machines by rows, the rows in the order they came in."""
        given = np.empty_like(alpha)
        given[:, self.rows.order] = alpha
        return given

    def theorem_bound(self, size: int) -> float:
        """Theorem 6: no more than so many times the least w is that of the columns at which the rows pull most.

        1 / (1 - the largest eigenvalue of M^-1/2 B M^-1/2), M = K(p) + tau I, B = K(p) over columns taken in part.
        """
        weighting = self.relax(size).weighting[self.rows.varying]
        taken, is_part = np.flatnonzero(weighting > 0), (weighting > 0) & (weighting < 1)
        if not is_part.any():
            return 1.0
        columns, ridges = self.program.columns, self.program.ridges
        in_part = columns[:, is_part] * np.sqrt(weighting[is_part])
        with one_blas_thread():
            matrix = Factored(columns[:, taken], ridges, weighting[taken], len(taken) < len(ridges))
            share = float(np.linalg.eigvalsh(in_part.T @ matrix.solve(in_part))[-1])
        return 1 / (1 - share) if share < 1 else np.inf

    def score_features(self) -> Floats:
        """The worth of each column on its own; NaN where it was never observed."""
        scores = np.where(self.is_observed, 0.0, np.nan)
        for place, column in enumerate(self.rows.varying.tolist()):
            # In the order of its own values, so that other columns have no say in the last digit.
            order = np.lexsort((self.rows.weights, self.rows.values[:, place], self.rows.codes))
            program = self.program
            alone = replace(
                program, columns=program.columns[order][:, [place]], signs=program.signs[:, order],
                caps=program.caps[order], ridges=program.ridges[order],
            )  # fmt: skip
            with one_blas_thread():
                scores[column] = self._spared(fitted(alone).value)
        return scores

    def score_subset(self, subset: Sequence[int]) -> float:
        """The share of w that these columns spare: 0 for none, 1 where nothing would be left of it."""
        return self._spared(self._machines(self._places(column_indices(subset, self.n_columns))).value)

    def score_additions(self, selected: Sequence[int], among: Indices) -> Floats:
        """What each of these columns adds to those selected; NaN where it was never observed."""
        return np.where(self.is_observed[among], super().score_additions(selected, among), np.nan)

    def score_removals(self, selected: Sequence[int], among: Indices) -> Floats:
        """What those selected gain by losing each of these columns; NaN where it was never observed."""
        return np.where(self.is_observed[among], super().score_removals(selected, among), np.nan)

    def _spared(self, value: float) -> float:
        without = self._machines(np.empty(0, dtype=np.intp)).value
        return (without - value) / without

    def _places(self, columns: Indices) -> Indices:
        """Where these columns are among those that vary; a column that does not adds nothing."""
        places = self._place[columns]
        return places[places >= 0]

    def _machines(self, places: Indices, start: tuple[Floats, Floats] | None = None) -> Relaxed:
        key = tuple(places.tolist())
        if key not in self._fitted:
            with one_blas_thread():
                found = fitted(self.program.only(places), start)
                weighting = np.zeros(self.program.n_columns)
                weighting[places] = 1.0
                self._fitted[key] = replace(found, weighting=weighting, pulls=self.program.pulls(found.alpha))
        return self._fitted[key]

    def _over_all(self, found: Relaxed) -> Relaxed:
        """The same in the columns of the table."""
        if len(self.rows.varying) == self.n_columns:
            return found
        weighting, pulls = np.zeros(self.n_columns), np.zeros((len(found.pulls), self.n_columns))
        weighting[self.rows.varying], pulls[:, self.rows.varying] = found.weighting, found.pulls
        return replace(found, weighting=weighting, pulls=pulls)


@dataclass(frozen=True)
class SvmMargin:
    """How large a margin, and how few errors, a support vector machine has on some columns only.

    w(S) = max over alpha of 2 sum_n alpha_n - sum_{i in S} (sum_n alpha_n y_n x_ni)^2 - tau sum_n alpha_n^2, subject to
    0 <= alpha <= C and sum_n alpha_n y_n = 0: twice the least of |v|^2 / 2 plus the losses of the rows, so lower is
    better. score_subset is the share of w() that the columns spare, 1 - w(S) / w(), which is higher for better sets.
    More than two classes: the sum over machines that tell one class from the rest.

    C : how much a row that falls short counts at most
    tau : how soft the loss is: a square up to tau C, then a straight line
    scale : as in ScatterTrace; the origin does not matter, and gaps count as the mean

    Needs Rows. Every set costs some products of the rows with the set's columns. Non-monotonic feature selection (Xu,
    Jin, Ye, Lyu and King), Eqs. 3 to 8.
    """

    C: float = 1.0
    tau: float = 1.0
    scale: str | None = "std"

    offers: ClassVar[frozenset[str]] = frozenset(
        {
            "n_columns", "is_observed", "score_features", "score_subset", "score_additions", "score_removals", "relax",
            "machines", "swap_gains", "first_better",
        }
    )  # fmt: skip

    def __post_init__(self) -> None:
        _check("C", self.C)
        _check("tau", self.tau)
        check_scale(self.scale)

    def statistic(self) -> Rows:
        return Rows()

    def bind(self, rows: Rows) -> SvmMarginObjective:
        return SvmMarginObjective(MarginRows(rows, self.scale), self.C, self.tau)


def _check(name: str, value: Any) -> None:
    if not is_number(value) or not 1e-9 <= float(value) <= 1e9:
        raise wrong(name, "a number from 1e-9 to 1e9", value)

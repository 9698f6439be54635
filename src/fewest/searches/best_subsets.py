"""The best subsets at every threshold, and bounds for the sizes in between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from fewest._core import pair_path, triple_path
from fewest.arrays import Floats, Indices
from fewest.errors import InvalidInput
from fewest.objectives.subset_sizes import candidate_sizes
from fewest.searches.roof_duality import MOST_COLUMNS, RoofBound, RoofDual
from fewest.searches.subset_value import ROUNDING, PairwiseValue, TriplewiseValue
from fewest.selection import Selection

#: The columns block after block, the blocks' sizes, their gains and the scale.
CutPath = tuple[list[int], list[int], list[int], float]

#: A bound proves an optimum only where rounding to whole numbers costs less than this share of the numbers summed.
NEGLIGIBLE = 1e-9
#: The path of a selection for a threshold holds the subsets up to this size.
_MAX_PATH = 50
#: Where a bound comes from, in words.
_CUTS, _CUTS_ABOVE = "minimum cuts", "minimum cuts without the interactions that harm"
_PARTNERS, _ROOF = "the best partners of each column", "roof duality"
#: Coefficients between 2 to the negative of this power and 2 to this power are not rescaled: no sum overflows.
_MAX_EXPONENT = 512

#: Coefficients with one, two and maybe three indices.
Tables = tuple[Floats, ...]


def scaled_tables(tables: Tables, columns: Indices) -> tuple[Tables, float]:
    """Return finite coefficients in multiples of a power of two, and this power; columns : theirs, for errors."""
    lowest = [float(table.min(initial=0.0)) for table in tables]
    highest = [float(table.max(initial=0.0)) for table in tables]
    largest = float(np.max(np.abs([lowest, highest])))
    if not math.isfinite(largest):
        raise InvalidInput(_not_finite(tables, columns))
    exponent = math.frexp(largest)[1]
    if abs(exponent) <= _MAX_EXPONENT:
        exponent = 0
    else:
        tables = tuple(np.ldexp(table, -exponent) for table in tables)
    return tuple(np.ascontiguousarray(table, dtype=np.float64) for table in tables), math.ldexp(1.0, exponent)


def value_of_tables(tables: Tables) -> PairwiseValue:
    """Return the empty subset under these coefficients."""
    return PairwiseValue(*tables) if len(tables) == 2 else TriplewiseValue(*tables)


def best_subsets_of(tables: Tables, columns: Indices) -> BestSubsets:
    """Return the best subsets under finite coefficients; columns : theirs, for errors."""
    has_negative = any(float(table.min(initial=0.0)) < 0 for table in tables[1:])
    tables, unit = scaled_tables(tables, columns)
    path = pair_path(*tables) if len(tables) == 2 else triple_path(*tables)
    return BestSubsets(value_of_tables(tables), path, has_negative, unit)


def _not_finite(tables: Tables, columns: Indices) -> str:
    """Return the message about the first coefficient that is not finite."""
    table = next(table for table in tables if not np.isfinite(table).all())
    index = tuple(np.argwhere(~np.isfinite(table))[0])
    named = " and ".join(str(columns[i]) for i in index)
    what = f"column {named}" if len(index) == 1 else f"columns {named} together"
    return (
        f"The score of {what} is {table[index]}, and the best subset is known only for finite scores. Use a criterion "
        "that gives these; NaN for a column alone leaves it out."
    )


class BestSubsets:
    """The path of best subsets under coefficients whose interactions are not negative.

    As the threshold beta falls, columns enter the best subset in blocks and never leave it. Exact for coefficients
    rounded to multiples of 1 / scale. With negative interactions the path is that of an objective at least as large
    everywhere, and its values are bounds.

    order : the columns, block after block; block_of : the block with which each column enters
    sizes, ends : the number of columns in each block, and up to its end
    betas, totals : the threshold at which each block enters, and the value up to its end, in multiples of `unit`
    """

    def __init__(self, coefficients: PairwiseValue, path: CutPath, has_negative: bool, unit: float) -> None:
        order, sizes, gains, self.scale = path
        self.coefficients, self.has_negative, self.unit = coefficients, has_negative, unit
        self.order: Indices = np.array(order, dtype=np.intp)
        self.sizes: Indices = np.array(sizes, dtype=np.intp)
        self.ends: Indices = np.cumsum(self.sizes)
        gained = np.array(gains, dtype=np.int64)
        self.betas: Floats = gained / self.scale / self.sizes
        self.totals: Floats = np.cumsum(gained) / self.scale
        self.block_of: Indices = np.empty(len(order), dtype=np.intp)
        self.block_of[self.order] = np.repeat(np.arange(len(sizes)), self.sizes)

    def at_threshold(self, beta: float) -> Selection:
        """Return the subset of the largest value where every column costs beta; the smallest of equals."""
        cost = beta / self.unit
        n_blocks = int(np.count_nonzero(self.betas > cost))
        size = int(self.ends[n_blocks - 1]) if n_blocks else 0
        best = self.coefficients.of(self.order[:size])

        # Columns that enter far below the threshold are in no best subset, however the coefficients were rounded.
        p = len(self.order)
        n_added = self.coefficients.n_coefficients(p) - self.coefficients.n_coefficients(max(p - 1, 0))
        uncertainty = n_added / 2 / self.scale + ROUNDING * abs(cost)
        n_near = int(self.sizes[self.betas > cost - uncertainty].sum())
        near = np.sort(self.order[:n_near])
        stake = self.unit * self.coefficients.magnitude(near) + abs(beta) * n_near
        error = self.error_of(n_near, near, stake)
        total = self.unit * float(self.totals[n_blocks - 1]) if n_blocks else 0.0
        bound = total - beta * size + error
        roof: RoofBound | None = None
        proved_by = self._by_cuts
        if self.has_negative:
            candidates = [best, *(self.coefficients.empty() for _ in range(2))]
            for start in candidates[:2]:
                start.improve(cost)
            roof = self._roof(near, cost)
            if roof is not None:
                candidates += self._with_proved(candidates, near, roof, cost)
                proved_by = _ROOF if self.unit * roof.bound < bound else proved_by
                bound, error = min(bound, self.unit * roof.bound), max(error, self.unit * roof.error)
            best = max(candidates, key=partial(self._value, beta=beta))  # the first of equals
        columns = self._in_order(best)

        sizes = [] if self.has_negative else [int(end) for end in self.ends[:n_blocks] if end <= _MAX_PATH]
        path = {end: columns[:end] for end in sorted({*sizes, len(columns)}) if end}
        value = self._value(best, beta)
        selection = self._selection(path, columns, value, bound, min(4 * error, NEGLIGIBLE * stake), proved_by)
        if roof is None:
            return replace(selection, beta=beta)
        proved_out = np.union1d(near[roof.is_out], np.setdiff1d(self.order, near))
        proved_in = tuple(near[roof.is_in].tolist())
        return replace(selection, beta=beta, proved_in=proved_in, proved_out=tuple(proved_out.tolist()))

    def _roof(self, near: Indices, cost: float) -> RoofBound | None:
        """Return what roof duality proves among these columns; None where they are too many, or have triples."""
        if not self.has_roof:
            return None
        pairs = self.coefficients.pairs[np.ix_(near, near)]
        return RoofDual(self.coefficients.unary[near], pairs).at(cost)

    @property
    def has_roof(self) -> bool:
        """Whether roof duality can tighten bounds: some pairs are negative, there are no triples and not too many."""
        is_pairwise = type(self.coefficients) is PairwiseValue
        return self.has_negative and is_pairwise and len(self.order) <= MOST_COLUMNS

    def _with_proved(
        self, candidates: Sequence[PairwiseValue], near: Indices, roof: RoofBound, cost: float
    ) -> list[PairwiseValue]:
        """Return the best candidate with the columns that are proved, and the relaxed optimum; both improved."""
        first = max(candidates, key=lambda subset: subset.value() - cost * int(np.count_nonzero(subset.is_in)))
        is_in = first.is_in.copy()
        is_in[near[roof.is_in]], is_in[near[roof.is_out]] = True, False
        starts = [self.coefficients.of(np.flatnonzero(is_in)), self.coefficients.of(near[roof.taken])]
        for start in starts:
            start.improve(cost)
        return starts

    def of_size(self, size: int) -> Selection:
        """Return the best subset of this size that was found, with an upper bound for all subsets of this size."""
        sizes = sorted({*candidate_sizes(size), *(int(end) for end in self.ends if end <= min(size, _MAX_PATH))})
        found = self._subsets(sizes) if size else {0: self.coefficients.empty()}
        value = self._value(found[size])

        # The bound is linear between the ends of the blocks.
        block = int(np.searchsorted(self.ends, size)) if size else 0
        start, total = (int(self.ends[block - 1]), float(self.totals[block - 1])) if block else (0, 0.0)
        more = (size - start) * float(self.betas[block]) if size else 0.0
        columns = np.array(self._in_order(found[size]), dtype=np.intp)
        stake = self.unit * (self.coefficients.magnitude(columns) + abs(total) + abs(more))
        error = self.error_of(size, self.order, stake)
        bound = self.unit * (total + more) + error
        slack, proved_by = min(4 * error, NEGLIGIBLE * stake), self._by_cuts
        if bound - value > slack and (by_partners := self.unit * self.coefficients.upper_bound(size)) < bound:
            bound, proved_by = by_partners, _PARTNERS
        if bound - value > slack and self.has_roof:
            roof = RoofDual(self.coefficients.unary, self.coefficients.pairs)
            by_roof, roof_error, reaching = roof.of_size(size, float(self.betas[block]))
            proved_by = _ROOF if self.unit * by_roof < bound else proved_by
            bound = min(bound, self.unit * by_roof)
            slack = min(4 * max(error, self.unit * roof_error), NEGLIGIBLE * stake)
            if reaching is not None:
                found[size] = max(found[size], self.coefficients.of(reaching), key=self._value)
                value = self._value(found[size])
        path = {k: self._in_order(subset) for k, subset in found.items()}
        return self._selection(path if size else {}, path[size], value, bound, slack, proved_by)

    @property
    def _by_cuts(self) -> str:
        return _CUTS_ABOVE if self.has_negative else _CUTS

    def _value(self, chosen: PairwiseValue, beta: float = 0.0) -> float:
        return self.unit * chosen.value() - beta * int(np.count_nonzero(chosen.is_in))

    def error_of(self, size: int, among: Indices, stake: float) -> float:
        """Return the error of a bound for subsets of this size; stake : the sum of the sizes of the numbers summed."""
        # Half a unit for each coefficient; where that is too much, what rounding did change.
        rounded = self.unit * (self.coefficients.n_coefficients(size) / 2 / self.scale)
        if rounded > NEGLIGIBLE * stake:
            rounded = min(rounded, self.unit * self.coefficients.rounding_error(among, self.scale))
        return rounded + ROUNDING * stake

    def _subsets(self, sizes: Sequence[int]) -> dict[int, PairwiseValue]:
        """Return the best subset found for each size."""
        found: dict[int, list[PairwiseValue]] = {size: [] for size in sizes}
        ends = self.ends.tolist()
        for start, end in pairwise([0, *ends]):
            if end in found:
                found[end].append(self.coefficients.of(self.order[:end]))
            self._grow_and_shrink(start, end, found)
        if self.has_negative:
            self._grow_and_shrink(0, len(self.order), found)
        proved = set() if self.has_negative else set(ends)
        for size in found.keys() - proved:
            for candidate in found[size]:
                candidate.improve()
        return {size: max(candidates, key=self._value) for size, candidates in found.items()}

    def _grow_and_shrink(self, start: int, end: int, found: dict[int, list[PairwiseValue]]) -> None:
        """Add subsets of the sizes in between, grown from the start of a block and shrunk from its end."""
        inside = [size for size in found if start < size < end]
        if not inside:
            return
        subset = self.coefficients.of(self.order[:start])
        for size in range(start + 1, max(inside) + 1):
            subset.toggle(subset.best_outside())
            if size in found:
                found[size].append(subset.copy())
        subset = self.coefficients.of(self.order[:end])
        for size in range(end - 1, min(inside) - 1, -1):
            subset.toggle(subset.least_inside())
            if size in found:
                found[size].append(subset.copy())

    def _in_order(self, chosen: PairwiseValue) -> tuple[int, ...]:
        """Return the columns by the threshold at which they enter; within a block, by the largest gain."""
        subset = chosen.empty()
        columns: list[int] = []
        for block in np.unique(self.block_of[chosen.is_in]):
            among = chosen.is_in & (self.block_of == block)
            for _ in range(int(np.count_nonzero(among))):
                columns.append(subset.best_outside(among))
                subset.toggle(columns[-1])
        return tuple(columns)

    def _selection(
        self, path: dict[int, tuple[int, ...]], columns: tuple[int, ...], value: float, bound: float, slack: float,
        proved_by: str,
    ) -> Selection:  # fmt: skip
        betas = self.unit * self.betas
        scores: Floats = betas[self.block_of]
        return Selection(
            indices=columns,
            scores=tuple(scores[list(columns)].tolist()),
            path=path,
            value=value,
            bound=max(bound, value),
            is_optimal=bool(bound - value <= slack),
            proved_by=proved_by,
            tolerance=slack,
            breakpoints=() if self.has_negative else tuple(zip(betas.tolist(), self.ends.tolist(), strict=True)),
            column_scores=scores,
        )

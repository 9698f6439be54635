"""The best weighting of the columns for any size, from columns that matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fewest.arrays import Indices
from fewest.methods.margins.mkl.active_set import Pattern, pattern_of, settle
from fewest.methods.margins.mkl.fixed_subset import fitted
from fewest.methods.margins.mkl.interior_point import InteriorMethod
from fewest.methods.margins.mkl.margin_program import MarginProgram, Relaxed, even_pull, relaxed

#: A gap within this share of the value is closed.
_CLOSED = 1e-12
#: What is farther off after a start from the last answer is tried from afresh.
_NEARLY = 1e-8
#: So many columns are looked at together.
_FEW = 600
#: Of more: how many are looked at first, and at least how many for each that is taken.
_FIRST_LOOK, _FOR_EACH = 250, 6
#: So far the program is solved, and so often, before columns are looked for that are missing.
_ROUGH, _MOST_LOOKS = 1e-2, 12
#: So often in a row something is tried in vain before it is no longer tried.
_VAIN = 2
#: A pull counts as larger than another from this share on.
_LARGER = 1e-10


class Relaxation:
    """Solves the relaxed program, one size after another; what was found for one size helps with the next.

    Most columns of a wide table are never taken, not in part either. So the program is solved on those with the largest
    pulls; columns outside that pull more than those taken in part come in, until there are none: then the answer is
    that of all columns.
    """

    def __init__(self, program: MarginProgram) -> None:
        self.program = program
        self._last: Relaxed | None = None
        self._looked_at: Indices = np.empty(0, dtype=np.intp)
        #: How often in a row the last answer's pattern did not lead to the next.
        self._n_vain = 0
        #: The pattern of the last answer, over all columns.
        self._pattern: Pattern | None = None

    def best(self, size: int) -> Relaxed:
        """The best weighting of this size."""
        program = self.program
        if size >= program.n_columns:
            return fitted(program)
        columns, near = self._first_columns(size), self._last
        answer = self._from_last(columns, size)
        for _ in range(_MOST_LOOKS):
            if answer is not None:
                break
            # Far from the optimum the pulls tell already which columns are missing.
            method = InteriorMethod(self._part(columns), size, self._on(near, columns))
            method.run(_ROUGH)
            rough = self._over_all(columns, size, method.rough_answer())
            more = self._missing(columns, rough, size, 0.0)
            if len(more) == 0:
                answer = self._over_all(columns, size, self._settled(method, columns, size))
            near, columns = rough, np.union1d(columns, more)
        while answer is None or len(more := self._missing(columns, answer, size, _LARGER)):
            columns = columns if answer is None else np.union1d(columns, more)
            method = InteriorMethod(self._part(columns), size, self._on(near, columns))
            answer = self._over_all(columns, size, self._settled(method, columns, size))
        self._last, self._looked_at = answer, columns
        return answer

    def _missing(self, columns: Indices, answer: Relaxed, size: int, allowed: float) -> Indices:
        """Columns outside that pull more than the size-th of those looked at: whoever does so belongs to them."""
        squares = np.square(answer.pulls).sum(axis=0)
        level = float(np.partition(squares[columns], len(columns) - size)[len(columns) - size])
        is_more = squares > level * (1 + allowed)
        is_more[columns] = False
        more = np.flatnonzero(is_more)
        return more[np.argsort(-squares[more], kind="stable")[: max(_FIRST_LOOK // 2, 2 * size)]]

    def _first_columns(self, size: int) -> Indices:
        n_columns, wanted = self.program.n_columns, max(_FIRST_LOOK, _FOR_EACH * size)
        if n_columns <= max(_FEW, 3 * wanted):
            return np.arange(n_columns)
        last = self._last
        pulls = self.program.pulls(even_pull(self.program, size)) if last is None else last.pulls
        order = np.argsort(-np.square(pulls).sum(axis=0), kind="stable")
        if last is not None:
            # Those taken so far, and the next ones.
            taken = np.flatnonzero(last.weighting > 0)
            return np.union1d(taken, order[: max(wanted // 2, len(taken) + size)])
        return np.sort(order[:wanted])

    def _part(self, columns: Indices) -> MarginProgram:
        return self.program if len(columns) == self.program.n_columns else self.program.only(columns)

    def _on(self, answer: Relaxed | None, columns: Indices) -> Relaxed | None:
        return None if answer is None else replace(answer, weighting=answer.weighting[columns])

    def _over_all(self, columns: Indices, size: int, found: Relaxed) -> Relaxed:
        """What was found for these columns, with what it proves of all."""
        weighting = np.zeros(self.program.n_columns)
        weighting[columns] = found.weighting
        return relaxed(self.program, size, weighting, found.alpha, found.offsets)

    def _from_last(self, columns: Indices, size: int) -> Relaxed | None:
        """The answer, where it can be had from the pattern of the last one."""
        if self._pattern is None or self._last is None or self._n_vain > _VAIN:
            return None
        pulls = self._last.pulls[0, columns]
        before = replace(
            self._pattern, is_whole=self._pattern.is_whole[columns], is_part=self._pattern.is_part[columns]
        )
        settled = settle(self._part(columns), size, before, np.where(pulls < 0, -1.0, 1.0))
        if settled is None or settled[0].gap > _CLOSED:
            self._n_vain += 1
            return None
        self._n_vain = 0
        self._keep(settled[1], columns)
        return self._over_all(columns, size, settled[0])

    def _settled(self, method: InteriorMethod, columns: Indices, size: int) -> Relaxed:
        """From where the method is to the optimum; from its usual start where it does not come near."""
        best = self._to_the_end(method, columns, size)
        if best.gap > _NEARLY:
            again = self._to_the_end(InteriorMethod(method.program, size), columns, size)
            best = again if again.gap < best.gap else best
        return best

    def _to_the_end(self, method: InteriorMethod, columns: Indices, size: int) -> Relaxed:
        program, is_one = method.program, len(method.program.signs) == 1
        best: Relaxed | None = None
        for tolerance in (1e-5, 1e-8, 1e-11) if is_one else (1e-10,):
            method.run(tolerance)
            found = method.rough_answer()
            best = found if best is None or found.gap < best.gap else best
            if not is_one:
                continue
            signs = np.where(found.pulls[0] < 0, -1.0, 1.0)
            settled = settle(program, size, pattern_of(method.point, program.caps), signs)
            if settled is not None and settled[0].gap < best.gap:
                best = settled[0]
                self._keep(settled[1], columns)
            if best.gap <= _CLOSED:
                break
        assert best is not None
        return best

    def _keep(self, pattern: Pattern, columns: Indices) -> None:
        is_whole, is_part = np.zeros((2, self.program.n_columns), dtype=bool)
        is_whole[columns], is_part[columns] = pattern.is_whole, pattern.is_part
        self._pattern = replace(pattern, is_whole=is_whole, is_part=is_part)

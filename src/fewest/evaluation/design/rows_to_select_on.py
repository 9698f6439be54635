"""Rows on which methods select, where classifiers are trained on others: three parts instead of two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest.arrays import Codes, Indices, Mask
from fewest.errors import InvalidInput
from fewest.evaluation.design.groups import Groups
from fewest.parameters import is_number, is_whole, wrong

#: A stream of random numbers of its own, so that the splits are those of a comparison without such rows.
_STREAM = 2


@dataclass(frozen=True)
class RowsToSelectOn:
    """Some of the training rows, drawn at random of every class in proportion; groups stay together.

    amount : their number, or their share of the training rows
    """

    amount: int | float

    @classmethod
    def of(cls, requested: object) -> RowsToSelectOn | None:
        """From compare's select_rows; None where methods select on all training rows."""
        if requested is None:
            return None
        if is_whole(requested) and requested >= 2:
            return cls(int(requested))
        if is_number(requested) and 0 < requested < 1:
            return cls(float(requested))
        raise wrong(
            "select_rows", "a whole number of at least 2, a share of the training rows between 0 and 1, or None",
            requested,
        )  # fmt: skip

    def __str__(self) -> str:
        what = f"{self.amount:,}" if isinstance(self.amount, int) else f"{self.amount:.3g}"
        return f"methods select on {what} of the training rows, and classifiers are trained on the others"

    def draw(
        self, rows: Indices, codes: Codes, groups: Groups | None, seed: int, number: int, table: str
    ) -> tuple[Indices, Indices]:
        """The rows to select on, and the others, both ascending.

        rows : the training rows of a split
        codes, groups : of all rows
        number : the number of the split
        """
        own = codes[rows]
        n = self.amount if isinstance(self.amount, int) else round(self.amount * len(rows))
        # Two classes at least are needed on either side.
        if not 2 <= n <= len(rows) - 2:
            raise InvalidInput(
                f"select_rows asks for {n} of the {len(rows)} training rows of a split of {table!r}, which leaves "
                f"{len(rows) - n} to train on. At least 2 are needed on either side: ask for fewer or more."
            )
        draw = np.random.default_rng([seed, number, _STREAM])
        kept_together = None if groups is None else groups.take(rows)
        share = n / len(rows)
        is_select = _drawn(own, n, draw) if kept_together is None else kept_together.draw_test(own, share, draw)
        for part in (is_select, ~is_select):
            if len(np.unique(own[part])) < 2:
                raise InvalidInput(
                    f"select_rows={self.amount} leaves rows of one class alone to select on, or to train on, in a "
                    f"split of {table!r}. Ask for more or fewer."
                )
        return rows[is_select], rows[~is_select]


def _drawn(codes: Codes, n: int, draw: np.random.Generator) -> Mask:
    """Draw n rows, of each class in proportion: whole parts first, then the largest remainders.

    Where the number allows, every class has a row that is drawn and one that is not.
    """
    counts = np.bincount(codes)
    exact = n * counts / len(codes)
    # The order among equal remainders is drawn too, so that no class is favoured.
    tie = draw.permutation(len(counts))
    low, high = np.minimum(counts, 1), np.maximum(counts - 1, np.minimum(counts, 1))
    if not low.sum() <= n <= high.sum():
        low, high = np.zeros_like(counts), counts
    taken = np.clip(np.floor(exact).astype(np.intp), low, high)
    while taken.sum() != n:
        step = 1 if taken.sum() < n else -1
        able = np.flatnonzero(taken < high if step > 0 else taken > low)
        lacking = step * (exact - taken)[able]
        taken[able[np.lexsort((tie[able], -lacking))[0]]] += step
    is_drawn = np.zeros(len(codes), dtype=bool)
    for code, number in enumerate(taken.tolist()):
        is_drawn[draw.permutation(np.flatnonzero(codes == code))[:number]] = True
    return is_drawn

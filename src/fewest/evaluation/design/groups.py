"""Rows that belong together, such as those of one patient, and how whole groups are learned from or tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fewest.arrays import Codes, Indices, Mask
from fewest.errors import InvalidInput

#: Of a group, its classes and how many rows it has of each.
Members = list[tuple[int, int]]


@dataclass(frozen=True)
class Groups:
    """Which rows are of one group: they are never both learned from and tested.

    codes : the group of each row
    names : what the groups are called, in order of their codes
    """

    codes: Codes
    names: tuple[Any, ...]

    @classmethod
    def of(cls, values: Sequence[Any], where: str) -> Groups:
        """Rows with equal values are one group; None where a row has none, which is refused."""
        missing = [row for row, value in enumerate(values) if value is None]
        if missing:
            raise InvalidInput(
                f"The groups of {where} have no value in {len(missing)} of {len(values)} rows (first: row "
                f"{missing[0]}). Fill them in, or leave those rows out."
            )
        known: dict[Any, int] = {}
        try:
            codes = [known.setdefault(value, len(known)) for value in values]
        except TypeError:
            raise InvalidInput(f"A group of {where} must be a single value, such as a name or a number.") from None
        return cls(np.array(codes, dtype=np.int32), tuple(known))

    def take(self, rows: Indices) -> Groups:
        """Those of some of the rows."""
        return replace(self, codes=self.codes[rows])

    def check(self, codes: Codes, classes: Sequence[str], where: str) -> None:
        """Raise where no split can keep groups whole and have every class on either side."""
        if len(self.names) < 2:
            raise InvalidInput(
                f"All rows of {where} are of one group ({self.names[0]!r}), so that none can be tested apart. Name "
                "other groups, or leave them out."
            )
        for code, name in enumerate(classes):
            own = np.unique(self.codes[codes == code])
            if len(own) == 1:
                raise InvalidInput(
                    f"The class {name!r} of {where} lies in the group {self.names[own[0]]!r} alone, so that it cannot "
                    "be learned from and tested. Leave out such classes, or join them."
                )

    def check_apart(self, train: Indices, test: Indices) -> None:
        """Raise where a group is on both sides of a split."""
        both = np.intersect1d(self.codes[train], self.codes[test])
        if len(both):
            raise InvalidInput(
                f"A given split has rows of the group {self.names[both[0]]!r} that are learned from and others that "
                "are tested. Mend the split, or leave the groups out."
            )

    def deal_out(self, codes: Codes, n_folds: int, draw: np.random.Generator) -> Indices:
        """The fold of each row, whole groups dealt out so that each class is spread evenly.

        The largest group first, of equals in an order drawn at random, each goes to the fold that has the least of its
        classes so far: the least sum over classes c of n_c(fold) n_c(group) / n_c^2, which adds the least to the sum
        of squares of the folds' shares. Of equals it is the fold with the fewest rows. A fold that would then have all
        rows of a class comes last, since the class could not be learned when that fold is tested.
        """
        places, members, totals = self._members(codes)
        sizes = np.bincount(places).tolist()
        held = [[0] * len(totals) for _ in range(n_folds)]
        lengths = [0] * n_folds
        fold_of = np.empty(len(members), dtype=np.intp)

        def dislike(fold: int, own: Members) -> tuple[bool, float, int, int]:
            has = held[fold]
            takes_all = any(has[code] + count == totals[code] for code, count in own)
            return takes_all, sum(has[code] * count / totals[code] ** 2 for code, count in own), lengths[fold], fold

        for group in sorted(draw.permutation(len(members)).tolist(), key=lambda group: -sizes[group]):
            own = members[group]
            fold = min(range(n_folds), key=lambda fold, own=own: dislike(fold, own))  # type: ignore[misc]
            fold_of[group] = fold
            lengths[fold] += sizes[group]
            for code, count in own:
                held[fold][code] += count
        return fold_of[places]

    def draw_test(self, codes: Codes, share: float, draw: np.random.Generator) -> Mask:
        """Which rows are tested: whole groups drawn at random, about this share of each class.

        In an order drawn at random a group is taken where that brings the shares of its classes nearer to the one
        asked for, in squares; then, for a class of which none was taken, the one of its groups that fits best. Some of
        every class stays to be learned from.
        """
        places, members, totals = self._members(codes)
        tested = [0] * len(totals)
        is_test = np.zeros(len(members), dtype=bool)
        order: list[int] = draw.permutation(len(members)).tolist()

        def leaves_some(group: int) -> bool:
            return all(tested[code] + count < totals[code] for code, count in members[group])

        def further_off(group: int) -> float:
            return sum(
                ((tested[code] + count) / totals[code] - share) ** 2 - (tested[code] / totals[code] - share) ** 2
                for code, count in members[group]
            )

        def take(group: int) -> None:
            is_test[group] = True
            for code, count in members[group]:
                tested[code] += count

        for group in order:
            if leaves_some(group) and further_off(group) <= 0:
                take(group)
        for code in np.unique(codes).tolist():
            if tested[code] == 0:
                able = [group for group in order if code in dict(members[group]) and leaves_some(group)]
                if able:
                    take(min(able, key=further_off))
        return is_test[places]

    def _members(self, codes: Codes) -> tuple[Indices, list[Members], list[int]]:
        """The place of each row's group among those that there are, their members, and the rows of each class."""
        present, places = np.unique(self.codes, return_inverse=True)
        totals = np.bincount(codes)
        pairs, counts = np.unique(places.astype(np.intp) * len(totals) + codes, return_counts=True)
        members: list[Members] = [[] for _ in present]
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            members[pair // len(totals)].append((pair % len(totals), count))
        return places, members, totals.tolist()

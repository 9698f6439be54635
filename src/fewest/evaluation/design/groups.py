"""Groups of rows that belong together, such as those of one patient, and splits that keep groups together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest.arrays import Codes, Indices, Mask
from fewest.errors import InvalidInput
from fewest.statistics.content_folds import ClassCounts, assign_groups, classes_of_groups


@dataclass(frozen=True)
class Groups:
    """The group of each row; rows of one group are never both training and test rows.

    codes : the group of each row
    names : the names of the groups, in order of their codes
    """

    codes: Codes
    names: tuple[Hashable, ...]

    @classmethod
    def of(cls, values: Sequence[object], table: str) -> Groups:
        """Rows with equal values are one group; None is a missing value, which is refused."""
        missing = [row for row, value in enumerate(values) if value is None]
        if missing:
            raise InvalidInput(
                f"The groups of {table} have no value in {len(missing)} of {len(values)} rows (first: row "
                f"{missing[0]}). Fill them in, or leave those rows out."
            )
        known: dict[Hashable, int] = {}
        try:
            codes = [known.setdefault(value, len(known)) for value in values]
        except TypeError:
            raise InvalidInput(f"A group of {table} must be a single value, such as a name or a number.") from None
        return cls(np.array(codes, dtype=np.int32), tuple(known))

    def take(self, rows: Indices) -> Groups:
        """The groups of some of the rows."""
        return replace(self, codes=self.codes[rows])

    def check(self, codes: Codes, classes: Sequence[str], table: str) -> None:
        """Raise where no split can keep groups together and have every class on both sides."""
        if len(self.names) < 2:
            raise InvalidInput(
                f"All rows of {table} are of one group ({self.names[0]!r}), so that none can be tested apart. Name "
                "other groups, or leave them out."
            )
        for code, name in enumerate(classes):
            own = np.unique(self.codes[codes == code])
            if len(own) == 1:
                raise InvalidInput(
                    f"The class {name!r} of {table} lies in the group {self.names[own[0]]!r} alone, so that it cannot "
                    "have both training and test rows. Leave out such classes, or join them."
                )

    def check_apart(self, train: Indices, test: Indices) -> None:
        """Raise where a group is on both sides of a split."""
        both = np.intersect1d(self.codes[train], self.codes[test])
        if len(both):
            raise InvalidInput(
                f"A split has training rows and test rows of the group {self.names[both[0]]!r}. Mend the split, or "
                "leave the groups out."
            )

    def assign_folds(self, codes: Codes, n_folds: int, draw: np.random.Generator) -> Indices:
        """The fold of each row: groups stay together, and each class is spread evenly.

        Of groups of one size, those drawn first at random are assigned first.
        """
        group_of_row, members, _ = self._members(codes)
        return assign_groups(members, draw.permutation(len(members)).tolist(), n_folds)[group_of_row]

    def draw_test(self, codes: Codes, share: float, draw: np.random.Generator) -> Mask:
        """The test rows: groups drawn at random, about this share of each class.

        In an order drawn at random a group is taken where that brings the shares of its classes nearer to the one
        requested, in squares; then, for a class without a test row, the one of its groups that fits best. Some rows of
        every class remain for training.
        """
        group_of_row, members, totals = self._members(codes)
        tested = [0] * len(totals)
        is_test = np.zeros(len(members), dtype=bool)
        order: list[int] = draw.permutation(len(members)).tolist()

        def leaves_some(group: int) -> bool:
            return all(tested[code] + count < totals[code] for code, count in members[group])

        def added_distance(group: int) -> float:
            return sum(
                ((tested[code] + count) / totals[code] - share) ** 2 - (tested[code] / totals[code] - share) ** 2
                for code, count in members[group]
            )

        def take(group: int) -> None:
            is_test[group] = True
            for code, count in members[group]:
                tested[code] += count

        for group in order:
            if leaves_some(group) and added_distance(group) <= 0:
                take(group)
        for code in np.unique(codes).tolist():
            if tested[code] == 0:
                able = [group for group in order if code in dict(members[group]) and leaves_some(group)]
                if able:
                    take(min(able, key=added_distance))
        return is_test[group_of_row]

    def _members(self, codes: Codes) -> tuple[Indices, list[ClassCounts], list[int]]:
        """The number of each row's group among those present, their class counts, and the rows of each class."""
        present, group_of_row = np.unique(self.codes, return_inverse=True)
        totals = np.bincount(codes)
        return group_of_row, classes_of_groups(group_of_row, codes, len(present), len(totals)), totals.tolist()

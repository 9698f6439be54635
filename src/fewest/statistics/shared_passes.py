"""Several statistics from one pass over the rows of a stream."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource
from fewest.errors import FewestError
from fewest.memory import CHUNK
from fewest.protocols import Statistic

S = TypeVar("S", bound=Statistic)


@runtime_checkable
class HasPassKey(Protocol):
    """A statistic that says what it collects."""

    def pass_key(self) -> Hashable:
        """Two of one type and key collect the same from the same rows; None where that is not known."""


class SharedPasses(_DerivedSource):
    """Another source that is read in fewer passes: what is needed later is collected along with what is needed now.

    What was collected is kept, and given to whoever asks for a statistic of the same type and key.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._announced: list[Any] = []
        self._collected: dict[Hashable, Any] = {}

    def announce(self, statistic: Statistic) -> None:
        """Collect this statistic in the next pass too, if groups of columns can be collected apart.

        Should it fail there, it is collected anew when somebody asks for it, who then gets the error.
        """
        if statistic.is_columnwise:
            self._announced.append(statistic)

    def find(self, statistic: S) -> S | None:
        """Return what was collected by a statistic of the same type and key; None where there is none."""
        found: S | None = self._collected.get(pass_key_of(statistic))
        return found

    def only(self, columns: Sequence[int]) -> Source:
        return self.source.only(columns)

    def with_text_as_codes(self) -> Source:
        return self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        return self.source.group_blocks(groups)

    def collect(self, statistic: S, *, is_part: bool = False) -> S:
        if is_part:
            return self.source.collect(statistic, is_part=True)
        if (found := self.find(statistic)) is not None:
            return found
        if not statistic.is_columnwise or not self._announced:
            return self._kept(statistic, self.source.collect(statistic))
        announced, self._announced = self._announced, []
        collected = self.source.collect(_Together(statistic, [_Attempt(one) for one in announced]))
        for one, attempt in zip(announced, collected.others, strict=True):
            if not attempt.has_failed:
                self._kept(one, attempt.statistic)
        first: S = collected.first
        return self._kept(statistic, first)

    def _kept(self, statistic: S, collected: S) -> S:
        key = pass_key_of(statistic)
        if key is not None:
            self._collected[key] = collected
        return collected


def pass_key_of(statistic: Statistic) -> Hashable:
    """The type and the key of a statistic; None where it has none."""
    key = statistic.pass_key() if isinstance(statistic, HasPassKey) else None
    return None if key is None else (type(statistic), key)


class _Attempt:
    """A statistic that is left out once it has failed."""

    is_columnwise = True
    takes_integers = True

    def __init__(self, statistic: Any, has_failed: bool = False) -> None:
        self.statistic, self.has_failed = statistic, has_failed

    def empty(self) -> Self:
        return type(self)(self.statistic.empty())

    def update(self, block: Block) -> None:
        if not self.has_failed:
            try:
                _update(self.statistic, block)
            except FewestError:
                self.has_failed = True

    def join(self, parts: Sequence[Self]) -> Self:
        has_failed = any(part.has_failed for part in parts)
        return type(self)(
            self.statistic if has_failed else self.statistic.join([part.statistic for part in parts]), has_failed
        )


class _Together:
    """Several statistics of the same rows. An error of the first is raised."""

    is_columnwise = True
    takes_integers = True

    def __init__(self, first: Any, others: Sequence[_Attempt]) -> None:
        self.first, self.others = first, others

    def empty(self) -> Self:
        return type(self)(self.first.empty(), [other.empty() for other in self.others])

    def update(self, block: Block) -> None:
        _update(self.first, block)
        for other in self.others:
            other.update(block)

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Statistics are collected together from one source, and then taken apart.")

    def join(self, parts: Sequence[Self]) -> Self:
        others = [other.join([part.others[i] for part in parts]) for i, other in enumerate(self.others)]
        return type(self)(self.first.join([part.first for part in parts]), others)


def _update(statistic: Statistic, block: Block) -> None:
    for piece in [block] if statistic.takes_integers else block.in_floats(CHUNK):
        statistic.update(piece)

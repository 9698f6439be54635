"""Several statistics from one pass over the rows of a stream."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, Self, TypeVar, cast, runtime_checkable

from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource
from fewest.errors import FewestError
from fewest.memory import CHUNK
from fewest.protocols import Statistic
from fewest.statistics.class_moments import WithMoments

S = TypeVar("S", bound=Statistic)
T = TypeVar("T", bound=Statistic)


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
        self._announced: list[_Announced] = []
        self._collected: dict[Hashable, Any] = {}

    def announce(self, first: S, second: Callable[[S], Statistic] | None = None) -> None:
        """Collect this statistic in the next pass too, and what second makes of it in the pass after that.

        Only of groups of columns that can be collected apart. Should one fail, it is collected anew when somebody asks
        for it, who then gets the error.
        """
        self._announce(_Announced(first, pass_key_of(first), second))

    def find(self, statistic: S) -> S | None:
        """Return what was collected by a statistic of the same type and key; None where there is none."""
        found: S | None = self._collected.get(pass_key_of(statistic))
        return found

    def collect_twice(self, first: S, second: Callable[[S], T]) -> T:
        key = _second_key(first, second)
        found: T | None = self._collected.get(key)
        if found is not None:
            return found
        known = self.collect(first)
        waiting = [one for one in self._announced if key is not None and one.key == key]
        self._announced = [one for one in self._announced if one not in waiting]
        return self._kept(key, self.collect(cast(T, waiting[0].statistic) if waiting else second(known)))

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
            return self._kept(pass_key_of(statistic), self.source.collect(statistic))
        announced, self._announced = self._announced, []
        collected = self.source.collect(_Together(statistic, [_Attempt(one.statistic) for one in announced]))
        for one, attempt in zip(announced, collected.others, strict=True):
            if not attempt.has_failed:
                self._kept(one.key, attempt.statistic)
                self._announce_next(one, attempt.statistic)
        first: S = collected.first
        return self._kept(pass_key_of(statistic), first)

    def _announce(self, one: _Announced) -> None:
        if one.key is not None and one.statistic.is_columnwise:
            self._announced.append(one)

    def _announce_next(self, one: _Announced, collected: Any) -> None:
        if one.second is not None:
            with suppress(FewestError):
                self._announce(_Announced(one.second(collected), _second_key(one.statistic, one.second)))

    def _kept(self, key: Hashable, collected: S) -> S:
        if key is not None:
            self._collected[key] = collected
        return collected


class _Announced(NamedTuple):
    """A statistic to collect, the key by which it is found, and what is to be collected after it."""

    statistic: Statistic
    key: Hashable
    second: Callable[[Any], Statistic] | None = None


def _second_key(first: Statistic, second: Callable[[S], Statistic]) -> Hashable:
    """The key of what second makes of the first; None where it has none."""
    key = pass_key_of(first)
    try:
        hash(second)
    except TypeError:  # a criterion with a parameter that is a list
        return None
    return None if key is None else (key, second)


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
        self._has_rows = False

    def empty(self) -> Self:
        return type(self)(self.first.empty(), [other.empty() for other in self.others])

    def update(self, block: Block) -> None:
        if not self._has_rows:
            self._has_rows = True
            # Rows of weight zero, and integers, are not added by all statistics in the same way.
            if block.weights is None and block.values.dtype.kind == "f":
                self._share_moments()
        _update(self.first, block)
        for other in self.others:
            other.update(block)

    def _share_moments(self) -> None:
        """Let the moments that the first collects be those of the others too."""
        for other in self.others:
            if isinstance(self.first, WithMoments) and isinstance(other.statistic, WithMoments):
                other.statistic.share_moments_of(self.first)

    def merge(self, other: Self) -> None:
        raise NotImplementedError("Statistics are collected together from one source, and then taken apart.")

    def join(self, parts: Sequence[Self]) -> Self:
        others = [other.join([part.others[i] for part in parts]) for i, other in enumerate(self.others)]
        return type(self)(self.first.join([part.first for part in parts]), others)


def _update(statistic: Statistic, block: Block) -> None:
    for piece in [block] if statistic.takes_integers else block.in_floats(CHUNK):
        statistic.update(piece)

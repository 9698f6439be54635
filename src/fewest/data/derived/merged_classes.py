"""Classes joined into fewer: the digits 0 to 4 against 5 to 9, a junction or none."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest.arrays import Codes
from fewest.data.block import Block
from fewest.data.source import Source, _DerivedSource
from fewest.errors import InvalidInput, InvalidParameter, did_you_mean

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*-\s*({_NUMBER})\s*")
_FORM = "'0-4,5-9' joins ranges of numbers, 'junction=EI+IE' joins two labels under a name"


@dataclass(frozen=True)
class ClassMerging:
    """Which classes are joined, and what they are called then. Others stay as they are.

    groups : by new name, the labels as text, or ranges of numbers such as 0-4
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, merge: object) -> ClassMerging:
        """From a text such as "0-4,5-9" or "junction=EI+IE", a dict {name: labels}, or a list of lists of labels."""
        if isinstance(merge, str):
            groups = [_group(part) for part in merge.split(",") if part.strip()]
        elif isinstance(merge, Mapping):
            groups = [(str(name), _texts(labels)) for name, labels in merge.items()]
        elif isinstance(merge, Iterable):
            groups = [("+".join(own), own) for own in map(_texts, merge)]
        else:
            raise InvalidParameter(f"merge must be a text, a dict or a list, got {merge!r} instead: {_FORM}.")
        names = [name for name, _ in groups]
        if not groups or not all(own for _, own in groups) or len(set(names)) < len(names):
            raise InvalidParameter(
                f"merge must name groups of classes, each of at least one and each called otherwise, got {merge!r} "
                f"instead: {_FORM}."
            )
        return cls(tuple(groups))

    def group_of(self, label: Hashable) -> str | None:
        """The name of the group that a label is in; None where it stays as it is."""
        text = _text(label)
        found = [name for name, items in self.groups if any(_is_member(text, item) for item in items)]
        if len(found) > 1:
            raise InvalidParameter(
                f"merge has the class {text!r} in two groups, {found[0]!r} and {found[1]!r}. Name it in one of them."
            )
        return found[0] if found else None

    def name_of(self, label: Hashable) -> Hashable:
        """What the class of a label is called after joining."""
        group = self.group_of(label)
        return label if group is None else group

    def __call__(self, block: Block) -> Block:
        """The block with classes joined, in the order of their first labels."""
        codes: dict[Hashable, int] = {}
        new = [codes.setdefault(self.name_of(label), len(codes)) for label in block.classes]
        of_code: Codes = np.array(new, dtype=np.int32)
        return replace(block, codes=of_code[block.codes], classes=tuple(codes))

    def check(self, labels: Sequence[Hashable]) -> None:
        """Raise where a group has a member that is no class, or all classes become one."""
        known = [_text(label) for label in labels]
        names = {name for name, _ in self.groups}
        for _, items in self.groups:
            for item in items:
                if not any(_is_member(text, item) for text in known):
                    near = did_you_mean(item, known)
                    shown = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
                    raise InvalidInput(f"merge names {item!r}{near}, which is no class. The classes are {shown}.")
        left = [text for label, text in zip(labels, known, strict=True) if self.group_of(label) is None]
        if clash := [text for text in left if text in names]:
            raise InvalidInput(
                f"merge calls a group {clash[0]!r}, and there is such a class, which is not in a group. Give the group "
                "another name."
            )
        if len({self.name_of(label) for label in labels}) < 2:
            raise InvalidInput("merge joins all classes into one, and at least two are needed.")


class MergedClasses(_DerivedSource):
    """Another source with some of its classes joined."""

    def __init__(self, source: Source, merging: ClassMerging) -> None:
        super().__init__(source)
        self.merging = merging

    def with_text_as_codes(self) -> Source:
        return MergedClasses(self.source.with_text_as_codes(), self.merging) if self.text_columns else self

    def group_blocks(self, groups: Sequence[Sequence[int] | None]) -> Iterator[tuple[int, Block]]:
        labels: Sequence[Hashable] = ()
        for g, block in self.source.group_blocks(groups):
            labels = block.classes
            if block.is_all:
                self.merging.check(labels)
            yield g, self.merging(block)
        # Only now are all classes known.
        if labels:
            self.merging.check(labels)

    def _block_map(self) -> Callable[[Block], Block]:
        return self.merging


def merged(source: Source, merge: object) -> Source:
    """The source with classes joined as merge says; None leaves it as it is."""
    return source if merge is None else MergedClasses(source, ClassMerging.of(merge))


def _group(part: str) -> tuple[str, tuple[str, ...]]:
    """A group written as "0-4", "a+b" or "name=a+b"."""
    name, equals, members = part.partition("=")
    items = tuple(item.strip() for item in (members if equals else part).split("+"))
    if not all(items) or (equals and not name.strip()):
        raise InvalidParameter(f"merge has {part.strip()!r}, which is no group of classes: {_FORM}.")
    return (name if equals else part).strip(), items


def _texts(labels: object) -> tuple[str, ...]:
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        return (_text(labels),)
    return tuple(_text(label) for label in labels)


def _text(label: object) -> str:
    if isinstance(label, np.generic):
        label = label.item()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _is_member(text: str, item: str) -> bool:
    if text == item:
        return True
    limits = _RANGE.fullmatch(item)
    if limits is None or re.fullmatch(_NUMBER, text) is None:
        return False
    return float(limits[1]) <= float(text) <= float(limits[2])

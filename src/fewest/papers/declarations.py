"""What a paper and its tables and figures are: data, methods, protocol, numbers, claims. Nothing here runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from fewest.errors import InvalidInput, did_you_mean
from fewest.papers.claims import Claim
from fewest.papers.numbers import Key, Measured, Number


@dataclass(frozen=True)
class Picture:
    """Lines through measurements.

    line, at : which part of a key names the line, and which holds the number on the horizontal axis
    x, y : what the axes are
    only : a part that keys must have; "" for none
    lines : the lines that are drawn; () for all
    """

    line: int
    at: int
    x: str
    y: str
    only: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """How experiments are run.

    quick : fewer resamples and cells
    seed : of all splits and draws
    n_jobs : the number of processes
    data : a folder of tables that are not in the repository
    trials : a folder that stores trials, so that a run can be continued
    advance : called with what was done
    """

    quick: bool = False
    seed: int = 0
    n_jobs: int = 1
    data: Path | None = None
    trials: Path | None = None
    advance: Callable[[str], None] = lambda done: None

    def of(self, full: int, quick: int) -> int:
        """A number of resamples."""
        return quick if self.quick else full


class Experiment(Protocol):
    """Data, methods and a protocol."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the stored tables that it needs."""
        ...

    def measured_keys(self) -> list[Key]:
        """What a full run measures, in the order in which it is printed."""
        ...

    def run(self, run: Run) -> Measured:
        """Measure."""
        ...


# Compared by identity: mappings have no hash.
@dataclass(frozen=True, eq=False)
class Item:
    """A table or figure of a paper.

    name : "T1"; others : figures that show the same, "F3"
    claim : what it shows, in one sentence
    controls : by the key of a measurement, what has to hold for claims about it to mean anything
    minutes : what a full run takes, roughly, on two processors
    heading : what the parts of a label are
    unit : of the numbers
    picture : how its numbers are drawn; None: not
    choices : what we chose where the paper is silent, and where we differ
    """

    name: str
    title: str
    claim: str
    experiments: tuple[Experiment, ...]
    numbers: Mapping[Key, Number] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    controls: Mapping[Key, Claim] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    minutes: float = 1.0
    heading: str = ""
    unit: str = "%"
    picture: Picture | None = None
    choices: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the stored tables that it needs."""
        return tuple(dict.fromkeys(table for one in self.experiments for table in one.tables))


@dataclass(frozen=True)
class Unbuilt:
    """A table or figure that cannot be run.

    reason : its data cannot be had, or it is a picture without a claim
    """

    name: str
    title: str
    claim: str
    reason: Literal["no data", "nothing to compare"]
    detail: str = ""
    others: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """The reason with its detail."""
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


# Compared by identity: mappings have no hash.
@dataclass(frozen=True, eq=False)
class Paper:
    """A paper with its items in the order in which they are listed.

    page : the page of its method in the documentation
    reliance : in plain words, what of it can be relied on, by the runs that its page shows
    """

    name: str
    number: int
    title: str
    authors: str
    venue: str
    doi: str
    page: str
    items: tuple[Item | Unbuilt, ...]
    reliance: str = ""

    @property
    def reference(self) -> str:
        """Authors, title, where it appeared, DOI."""
        return f"{self.authors}: {self.title}. {self.venue}. doi:{self.doi}"

    @property
    def built(self) -> tuple[Item, ...]:
        """The items that can be run."""
        return tuple(item for item in self.items if isinstance(item, Item))

    def find(self, names: Sequence[str]) -> tuple[Item, ...]:
        """The items of these names; all that are built where there are none."""
        found = [self._find(name) for name in names]
        return tuple(dict.fromkeys(found)) if names else self.built

    def _find(self, name: str) -> Item:
        known = {other.lower(): item for item in self.items for other in (item.name, *item.others)}
        item = known.get(name.lower().replace(" ", ""))
        if item is None:
            hint = did_you_mean(name, known)
            names = ", ".join(one.name for one in self.items)
            raise InvalidInput(f"The paper {self.name} has no item {name!r}{hint}. There are {names}.")
        if isinstance(item, Unbuilt):
            raise InvalidInput(f"{item.name} of {self.name} cannot be run: {item.why}.")
        return item

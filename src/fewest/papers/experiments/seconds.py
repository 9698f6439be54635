"""How long methods take to select, side by side on the same rows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from sklearn.base import clone

from fewest.papers.declarations import Run
from fewest.papers.experiments.draws import drawn_from
from fewest.papers.experiments.splits import size_label
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import Key, Measured, Measurement
from fewest.selectors.selector import Selector

_NOTE = "Seconds are the processor's on which this ran, and differ from run to run; the paper's are not compared."


@dataclass(frozen=True)
class Seconds:
    """Seconds of the processor that methods take on draws of tables.

    draws : by the paper's names, what is drawn from
    methods : by the paper's names
    sizes : the numbers of features that are selected; where there are several, the size comes first in the key
    train_share : the share of each class that is drawn from a table that is not generated; 1: all rows
    n_draws, n_quick : the numbers of draws
    quick_draws : the labels that a quick run does; () for all
    """

    draws: Mapping[str, Table]
    methods: Mapping[str, Selector]
    sizes: tuple[int, ...]
    train_share: float = 1.0
    n_draws: int = 5
    n_quick: int = 3
    quick_draws: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for table in self.draws.values() for name in table.stored))

    def measured_keys(self) -> list[Key]:
        return [self._key(size, name, label) for label in self.draws for size in self.sizes for name in self.methods]

    def run(self, run: Run) -> Measured:
        cells: dict[Key, Measurement] = {}
        n_draws = run.of(self.n_draws, self.n_quick)
        labels = [one for one in self.draws if not (run.quick and self.quick_draws) or one in self.quick_draws]
        for label in labels:
            drawn = [drawn_from(self.draws[label], run, number, self.train_share) for number in range(n_draws)]
            for name, method in self.methods.items():
                # The first fit also imports modules.
                clone(method).set_params(n_features=min(self.sizes)).fit(drawn[0].X, drawn[0].y)
                for size in self.sizes:
                    chosen = clone(method).set_params(n_features=size)
                    seconds = []
                    for data in drawn:
                        started = time.process_time()
                        chosen.fit(data.X, data.y)
                        seconds.append(time.process_time() - started)
                    limits = (0.0, float("inf"))
                    cells[self._key(size, name, label)] = Measurement.of_resamples(seconds, 0.0, limits)
                run.advance(f"{label}, {name}")
        return Measured({key: cells[key] for key in self.measured_keys() if key in cells}, f"{n_draws} draws", (_NOTE,))

    def _key(self, size: int, name: str, label: str) -> Key:
        return (size_label(size), label, name) if len(self.sizes) > 1 else (label, name)

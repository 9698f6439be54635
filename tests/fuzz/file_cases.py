"""Damaged files of every format: scan and fit, or the data check."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

import fewest

from .cases import Case
from .damage import damaged
from .valid_files import VALID_FILES, content

#: Methods that are fast on small tables, and that read rows in different ways.
_SELECTORS = ("FisherMarkov", "MRMR", "ReliefF", "FisherScore", "ChiSquare", "KolmogorovSmirnov", "PearsonCorrelation")
_ENDINGS = sorted({file.ending for file in VALID_FILES.values()})


def case(seed: int, number: int) -> Case:
    """A file of each format in turn, damaged once or more; now and then whole, or under the name of another format."""
    random = np.random.default_rng([seed, number])
    names = list(VALID_FILES)
    name = names[number % len(names)]
    valid = VALID_FILES[name]
    ending, changed, how = valid.ending, content(name), []
    if random.random() > 0.03:
        for _ in range(int(random.choice([1, 1, 1, 2, 3]))):
            try:
                changed, damage = damaged(changed, ending, random)
            except Exception:  # what is damaged already cannot always be unpacked
                break
            how.append(damage)
    if random.random() < 0.03:
        ending = str(random.choice(_ENDINGS))
    selector = str(random.choice([*_SELECTORS, "check_data"]))
    options = valid.options

    def run(folder: Path) -> Iterable[float | None]:
        path = folder / f"t{ending}"
        path.write_bytes(changed)
        return _numbers(path, selector, options)

    return Case(f"{name}, {' then '.join(how) or 'whole'}, as t{ending}: {selector}", run)


def _numbers(path: Path, selector: str, options: dict[str, object]) -> list[float | None]:
    if selector == "check_data" and "transpose" not in options:
        found = fewest.check_data(path, target=options.get("target"))
        return [found.n_rows, found.n_missing, *(one.missing for one in found.columns)]
    name = "FisherMarkov" if selector == "check_data" else selector
    fitted = getattr(fewest, name)(n_features=2).fit(fewest.scan(path, **options))
    chosen = fitted.selection_
    numbers = [*chosen.scores, chosen.value, chosen.bound]
    # The Fisher score is infinite where a column is constant within each class.
    return [None if name == "FisherScore" and number == float("inf") else number for number in numbers]

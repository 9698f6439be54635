"""A program that uses the package, for mypy --strict: see test_packaging.py. Each ignored error must be one."""

from typing import assert_type

import numpy as np

from fewest import MRMR, Comparison, Selection, compare, scan
from fewest.datasets import load

wine = load("wine")
chosen = MRMR(n_features=3).fit(wine.X, wine.y)
assert_type(chosen, MRMR)
assert_type(chosen.selection_, Selection)
assert_type(chosen.selection_.features, tuple[str, ...])
print(chosen.transform(np.asarray(wine.X)), chosen.selection_.is_optimal)
found: Comparison = compare(["mrmr", chosen], wine.X, wine.y, seed=0)
scan(path="rows.csv")  # type: ignore[call-arg]
Selection.from_json(3)  # type: ignore[arg-type]

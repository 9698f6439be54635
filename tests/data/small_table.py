"""One small table, and what every format of it must give."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from fewest.statistics.class_moments import ClassMoments

# A missing number, a boolean column, and a class that comes last.
NAMES = ["width", "count", "flag"]
COLUMNS = {
    "width": [0.5, -1.25, 3.0, 1e-3, 7.125, 2.0],
    "count": [3, 1, None, 4, 1, 5],
    "flag": [True, False, True, True, False, False],
    "label": ["b", "a", "a", "b", "a", "c"],
}
WEIGHTS = [1.0, 2.0, 0.5, 1.0, 3.0, 1.0]
NUMBERS = np.array([[np.nan if value is None else float(value) for value in COLUMNS[name]] for name in NAMES]).T
CSV = """width,count,flag,label
0.5,3,true,b
-1.25,1,false,a
3.0,NA,true,a
0.001,4,true,b
7.125,1,false,a
2.0,5,false,c
"""


def part(rows, names=(*NAMES, "label")):
    """Some rows of some of its columns."""
    return {name: COLUMNS[name][rows] for name in names}


def moments_of(source):
    """Weight, mean and scatter of each class, by its label."""
    moments = source.collect(ClassMoments())
    return {
        label: (moments.weight[code], moments.mean[code], moments.scatter[code])
        for code, label in enumerate(moments.classes)
    }


def assert_is_the_small_table(source, weights=(1.0,) * 6, rows=range(6)):
    """The source's moments are those of the small table by their definition."""
    found = moments_of(source)
    rows = list(rows)
    labels = np.array(COLUMNS["label"])[rows]
    assert set(found) == set(labels)
    for label in found:
        values = NUMBERS[rows][labels == label]
        weight = np.where(np.isnan(values), 0.0, np.array(weights)[rows][labels == label][:, None])
        filled = np.nan_to_num(values)
        total = weight.sum(axis=0)
        mean = (weight * filled).sum(axis=0) / total
        scatter = (weight * (filled - mean) ** 2).sum(axis=0)
        for part, expected in zip(found[label], (total, mean, scatter), strict=True):
            assert_allclose(part, expected, rtol=1e-12, atol=1e-12)


def rows_of(source, columns=None):
    """All rows of a source: values, labels and row numbers."""
    blocks = list(source.blocks(columns))
    values = np.vstack([block.values for block in blocks])
    labels = [block.classes[code] for block in blocks for code in block.codes]
    numbers = [block.row_number(position) for block in blocks for position in range(block.n_rows)]
    return values, labels, numbers

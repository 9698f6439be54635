"""What exchanging one column for another would bring, told from the machines at hand."""

from __future__ import annotations

import numpy as np

from fewest.arrays import Floats, Indices
from fewest.methods.margins.mkl.margin_program import MarginProgram, Relaxed

#: At least so wide the square of the loss is taken to be.
_LEAST_WIDTH = 1.0


def swap_gains(program: MarginProgram, subset: Indices, at: Relaxed, others: Indices) -> Floats:
    """Columns of the subset by other columns: by how much w falls, about, where the one is exchanged for the other.

    at : the machines on the subset, with their pulls at all columns

    As long as the same rows are on the square of the loss, what a column more and one less change is known exactly.
    Where the square is narrow rows cross it with the smallest change: then it is taken to be as wide as the margin,
    which says how the loss bends on the whole.
    """
    gains = np.zeros((len(subset), len(others)))
    for signs, pulls, offset in zip(program.signs, at.pulls, at.offsets, strict=True):
        shortfalls = 1 - signs * (program.columns[:, subset] @ pulls[subset] + offset)
        ends = program.ridges * program.caps
        beyond = np.maximum(_LEAST_WIDTH - ends, 0.0)
        is_free = (shortfalls > -beyond / 2) & (shortfalls < ends + beyond / 2)
        stiffness = (program.caps / (ends + beyond))[is_free]
        inside, outside = program.columns[np.ix_(is_free, subset)], program.columns[np.ix_(is_free, others)]
        if is_free.any():
            # The offset takes up the mean.
            inside = inside - stiffness @ inside / stiffness.sum()
            outside = outside - stiffness @ outside / stiffness.sum()
        shared = (inside * stiffness[:, None]).T
        across = shared @ outside
        # The inverse of 1 + shared inside, of as many lines as there are columns or rows, whichever are fewer.
        if len(subset) <= len(inside):
            inverse = np.linalg.inv(np.eye(len(subset)) + shared @ inside)
            moved, diagonal = inverse @ across, np.diag(inverse)
        else:
            inverse = np.linalg.inv(np.eye(len(inside)) + inside @ shared)
            moved, diagonal = shared @ (inverse @ outside), 1 - (shared * (inverse @ inside).T).sum(axis=1)
        curvature = 1 + (np.square(outside) * stiffness[:, None]).sum(axis=0) - (across * moved).sum(axis=0)
        step = pulls[others] / curvature
        without = np.square(pulls[subset][:, None] - moved * step)
        gains += pulls[others] * step - without / (diagonal[:, None] + np.square(moved) / curvature)
    return gains

"""The parameters of selectors that constrain which columns may be selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from fewest.selectors.significance.tests_columns import TestsColumns

#: One or several names, globs or numbers of columns.
Columns = str | int | Sequence[str | int]


@dataclass(eq=False, repr=False)
class ConstrainedColumns(TestsColumns):
    """Constraints on columns, which every selector has.

    Parameters
    ----------
    keep : str, int or sequence of these, or None, default=None
        Columns that are in from the start: names, globs such as "gene_*", or numbers of columns.
    forbid : str, int or sequence of these, or None, default=None
        Columns that are never used, as if the table lacked them.
    column_groups : mapping from str to columns, sequence of columns, or None, default=None
        Columns that are taken or left as one, such as {"colour": "colour_*"}; each group counts as one feature.
    at_most : mapping from columns to int, or None, default=None
        How many of a kind may be taken, such as {"sensor_*": 2}; a key is a name, a glob, a tuple of these, or a group.
    costs : mapping from columns to float, sequence of float, or None, default=None
        What columns cost, such as {"mri": 500, "lab_*": 20}, or one number a column; those not named cost nothing. A
        group costs what its name says, or else the sum over its columns.
    budget : float or None, default=None
        The largest sum of costs. Fewer than n_features are taken where more are not affordable.
    cost_weight : float or None, default=None
        What a unit of cost takes from the objective.
    """

    _: KW_ONLY
    keep: Columns | None = None
    forbid: Columns | None = None
    column_groups: Mapping[str, Columns] | Sequence[Columns] | None = None
    at_most: Mapping[Any, int] | None = None
    costs: Mapping[Any, float] | Sequence[float] | None = None
    budget: float | None = None
    cost_weight: float | None = None

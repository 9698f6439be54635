"""The criterion of SURF, SURF*, MultiSURF and MultiSURF*: margins over all rows within a distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewest._core import threshold_margins
from fewest.arrays import Floats
from fewest.methods.relief.neighbour_criteria import MarginObjective, NeighbourCriterion, NeighbourRows
from fewest.parameters import check_flag
from fewest.statistics.rows import Rows
from fewest.threads import thread_count


@dataclass(frozen=True)
class ThresholdMargin(NeighbourCriterion):
    """Score columns by how much farther the near rows of other classes are than the near rows of the same class.

    The score is the mean over the rows of the mean |x - M| over the near misses less the mean |x - H| over the near
    hits. A row is near another where it is nearer than a threshold.

    Parameters
    ----------
    by_row : bool, default=True
        True, MultiSURF: the threshold of a row is the mean of its distances to the others less half their standard
        deviation. False, SURF: that of all rows is the mean distance between two rows.
    far : bool, default=False
        SURF* and MultiSURF*: add the mean over the rows of the mean |x - H| over the far hits less the mean |x - M|
        over the far misses. Far are the rows beyond the mean, by_row beyond it plus half the standard deviation.

    See Also
    --------
    fewest.MultiSURF, fewest.SURF : The selectors with this criterion, and their references.

    Notes
    -----
    The misses are those of any class, together. A distance within 1e-12 of a threshold is neither near nor far. Of a
    row with near hits but without near misses, or the reverse, the term that is not there counts nothing, so that
    classes which lie far apart have scores too; a row without either is left out of the mean. Distances with missing
    values as in HitMissMargin. Needs Rows. Every row is compared with all, O(N^2 D), without an
    N x N array.

    Examples
    --------
    >>> from fewest import FeatureSelector, IndividualRanking, ThresholdMargin, scan
    >>> FeatureSelector(ThresholdMargin(), IndividualRanking(), n_features=3).fit(scan("wine")).selection_.features
    ('proline', 'alcohol', 'color_intensity')
    """

    by_row: bool = True
    far: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag("by_row", self.by_row)
        check_flag("far", self.far)

    def bind(self, rows: Rows) -> MarginObjective:
        prepared = self.prepare(rows)
        return MarginObjective(prepared, self._margins(prepared), self._margins)

    def _margins(self, prepared: NeighbourRows) -> Floats:
        sums, counts = np.empty((2, len(prepared.varying))), np.empty((2, len(prepared.varying)), dtype=np.int64)
        rule = self.metric == "l2", self.by_row, self.far
        threshold_margins(*prepared.table(), *rule, sums, counts, thread_count())
        near, far = (prepared.mean(*part) for part in zip(sums, counts, strict=True))
        # A column may have near margins without far ones.
        return np.where(np.isnan(far), near, near + far) if self.far else near

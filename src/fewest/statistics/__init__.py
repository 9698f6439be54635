"""What a pass over rows leaves behind."""

from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.folded import Folded, GivenFolds, SpreadFolds
from fewest.statistics.row_sample import RowSample

__all__ = ["ClassMoments", "Folded", "GivenFolds", "RowSample", "SpreadFolds"]

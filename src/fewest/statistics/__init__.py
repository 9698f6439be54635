"""What a pass over rows leaves behind."""

from fewest.statistics.class_moments import ClassMoments

__all__ = ["ClassMoments"]

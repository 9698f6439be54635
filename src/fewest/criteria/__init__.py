"""How good a feature is."""

from fewest.criteria.class_correlation import ClassCorrelation
from fewest.criteria.scatter_ratio import ScatterRatio
from fewest.criteria.scatter_trace import ScatterTrace

__all__ = ["ClassCorrelation", "ScatterRatio", "ScatterTrace"]

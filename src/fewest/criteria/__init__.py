"""How good a feature is."""

from fewest.criteria.class_correlation import ClassCorrelation
from fewest.criteria.kernel_trace import KernelTrace
from fewest.criteria.scatter_ratio import ScatterRatio
from fewest.criteria.scatter_trace import ScatterTrace

__all__ = ["ClassCorrelation", "KernelTrace", "ScatterRatio", "ScatterTrace"]

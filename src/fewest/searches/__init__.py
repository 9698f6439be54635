"""Searches: which subset of features to take."""

from fewest.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

"""Mergeable summaries of rows that several method families use."""

from fewest.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

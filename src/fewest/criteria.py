"""Criteria: how good features are. Each is defined in its family's folder under `fewest.methods`."""

from fewest.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

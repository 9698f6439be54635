"""How well selections do on rows that were not used to make them."""

from fewest.evaluation.comparing import compare
from fewest.evaluation.comparison import Comparison

__all__ = ["Comparison", "compare"]

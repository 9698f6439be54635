"""How well selections do on rows that were not used to make them."""

from fewest.evaluation.comparing import compare
from fewest.evaluation.comparison import Comparison
from fewest.evaluation.split_column import SplitColumn

__all__ = ["Comparison", "SplitColumn", "compare"]

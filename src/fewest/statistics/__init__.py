"""What a pass over rows leaves behind."""

from fewest.statistics.class_moments import ClassMoments
from fewest.statistics.column_outline import ColumnOutline
from fewest.statistics.counted_again import ContingencyTables, CountedAgain, StateBits
from fewest.statistics.few_values import FewValues
from fewest.statistics.folded import Folded, GivenFolds, LeftOut, SpreadFolds
from fewest.statistics.kernel_grids import KernelGrids
from fewest.statistics.pair_moments import PairMoments
from fewest.statistics.row_sample import RowSample
from fewest.statistics.rows import Rows
from fewest.statistics.state_rows import StateRows
from fewest.statistics.stratified_rows import StratifiedRows
from fewest.statistics.value_counts import ValueCounts

__all__ = [
    "ClassMoments",
    "ColumnOutline",
    "ContingencyTables",
    "CountedAgain",
    "FewValues",
    "Folded",
    "GivenFolds",
    "KernelGrids",
    "LeftOut",
    "PairMoments",
    "RowSample",
    "Rows",
    "SpreadFolds",
    "StateBits",
    "StateRows",
    "StratifiedRows",
    "ValueCounts",
]

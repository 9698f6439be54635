from fewest.methods.scatter.pair_moments import PairMoments as PairMoments
from fewest.statistics.class_moments import ClassMoments as ClassMoments
from fewest.statistics.rows import Rows as Rows
from fewest.statistics.splits import Folded as Folded
from fewest.statistics.stratified_rows import StratifiedRows as StratifiedRows

__all__: list[str]

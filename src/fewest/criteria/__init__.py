"""How good a feature is."""

from fewest.criteria.bayes_error import BayesError
from fewest.criteria.class_correlation import ClassCorrelation
from fewest.criteria.coding import Coding as Coding
from fewest.criteria.concave_margin import ConcaveMargin
from fewest.criteria.cross_validated_error import CrossValidatedError
from fewest.criteria.hit_miss_margin import HitMissMargin
from fewest.criteria.iterative_margin import IterativeMargin
from fewest.criteria.joint_information import JointInformation
from fewest.criteria.kernel_trace import KernelTrace
from fewest.criteria.linear_margin import LinearMargin
from fewest.criteria.map_margin import MapMargin
from fewest.criteria.mutual_information import MutualInformation
from fewest.criteria.parzen_margin import ParzenMargin
from fewest.criteria.relevance_redundancy import RelevanceRedundancy
from fewest.criteria.rescaled_margin import RescaledMargin
from fewest.criteria.scatter_ratio import ScatterRatio
from fewest.criteria.scatter_trace import ScatterTrace
from fewest.criteria.sparse_margin import SparseMargin
from fewest.criteria.state_chi_square import StateChiSquare

__all__ = [
    "BayesError",
    "ClassCorrelation",
    "ConcaveMargin",
    "CrossValidatedError",
    "HitMissMargin",
    "IterativeMargin",
    "JointInformation",
    "KernelTrace",
    "LinearMargin",
    "MapMargin",
    "MutualInformation",
    "ParzenMargin",
    "RelevanceRedundancy",
    "RescaledMargin",
    "ScatterRatio",
    "ScatterTrace",
    "SparseMargin",
    "StateChiSquare",
]

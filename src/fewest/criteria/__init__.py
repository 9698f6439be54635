"""How good a feature is."""

from fewest.criteria.bayes_error import BayesError
from fewest.criteria.class_correlation import ClassCorrelation
from fewest.criteria.coding import Coding as Coding
from fewest.criteria.cross_validated_error import CrossValidatedError
from fewest.criteria.hit_miss_margin import HitMissMargin
from fewest.criteria.iterative_margin import IterativeMargin
from fewest.criteria.joint_information import JointInformation
from fewest.criteria.kernel_trace import KernelTrace
from fewest.criteria.map_margin import MapMargin
from fewest.criteria.mutual_information import MutualInformation
from fewest.criteria.parzen_margin import ParzenMargin
from fewest.criteria.relevance_redundancy import RelevanceRedundancy
from fewest.criteria.scatter_ratio import ScatterRatio
from fewest.criteria.scatter_trace import ScatterTrace
from fewest.criteria.state_chi_square import StateChiSquare
from fewest.criteria.svm_margin import SvmMargin

__all__ = [
    "BayesError",
    "ClassCorrelation",
    "CrossValidatedError",
    "HitMissMargin",
    "IterativeMargin",
    "JointInformation",
    "KernelTrace",
    "MapMargin",
    "MutualInformation",
    "ParzenMargin",
    "RelevanceRedundancy",
    "ScatterRatio",
    "ScatterTrace",
    "StateChiSquare",
    "SvmMargin",
]

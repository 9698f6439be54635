"""How good a feature is."""

from typing import TYPE_CHECKING

from fewest.lazy import names_of

if TYPE_CHECKING:
    from fewest.criteria.bayes_error import BayesError
    from fewest.criteria.boosted_stumps import BoostedStumps
    from fewest.criteria.class_correlation import ClassCorrelation
    from fewest.criteria.coding import Coding as Coding
    from fewest.criteria.concave_margin import ConcaveMargin
    from fewest.criteria.cross_validated_error import CrossValidatedError
    from fewest.criteria.distribution_distance import DistributionDistance
    from fewest.criteria.forest_gain import ForestGain
    from fewest.criteria.hit_miss_margin import HitMissMargin
    from fewest.criteria.iterative_margin import IterativeMargin
    from fewest.criteria.joint_information import JointInformation
    from fewest.criteria.kernel_scatter import KernelScatter
    from fewest.criteria.kernel_trace import KernelTrace
    from fewest.criteria.linear_margin import LinearMargin
    from fewest.criteria.linear_radius_margin import LinearRadiusMargin
    from fewest.criteria.map_margin import MapMargin
    from fewest.criteria.mutual_information import MutualInformation
    from fewest.criteria.parzen_margin import ParzenMargin
    from fewest.criteria.radius_margin_bound import RadiusMarginBound
    from fewest.criteria.relevance_redundancy import RelevanceRedundancy
    from fewest.criteria.rescaled_margin import RescaledMargin
    from fewest.criteria.scatter_ratio import ScatterRatio
    from fewest.criteria.scatter_trace import ScatterTrace
    from fewest.criteria.sparse_margin import SparseMargin
    from fewest.criteria.state_chi_square import StateChiSquare
    from fewest.criteria.svm_margin import SvmMargin
    from fewest.criteria.target_alignment import TargetAlignment

__all__ = [
    "BayesError",
    "BoostedStumps",
    "ClassCorrelation",
    "ConcaveMargin",
    "CrossValidatedError",
    "DistributionDistance",
    "ForestGain",
    "HitMissMargin",
    "IterativeMargin",
    "JointInformation",
    "KernelScatter",
    "KernelTrace",
    "LinearMargin",
    "LinearRadiusMargin",
    "MapMargin",
    "MutualInformation",
    "ParzenMargin",
    "RadiusMarginBound",
    "RelevanceRedundancy",
    "RescaledMargin",
    "ScatterRatio",
    "ScatterTrace",
    "SparseMargin",
    "StateChiSquare",
    "SvmMargin",
    "TargetAlignment",
]

#: Not a part of the lists that follow from __all__.
_BESIDES = ("Coding",)

__getattr__ = names_of(__name__)

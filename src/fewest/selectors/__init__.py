"""The scikit-learn estimators: a criterion and a search under the name people know."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fewest.errors import InvalidParameter
from fewest.lazy import names_of
from fewest.suggest import did_you_mean

if TYPE_CHECKING:
    from fewest.selectors.chi_square import ChiSquare
    from fewest.selectors.feature_selector import FeatureSelector
    from fewest.selectors.fisher_markov import FisherMarkov
    from fewest.selectors.fisher_score import FisherScore
    from fewest.selectors.forest_importance import ForestImportance
    from fewest.selectors.fsv import FSV
    from fewest.selectors.information_gain import InformationGain
    from fewest.selectors.iterative_relief import IterativeRelief
    from fewest.selectors.kernel_alignment import KernelAlignment
    from fewest.selectors.kernel_separability import KernelSeparability
    from fewest.selectors.kolmogorov_smirnov import KolmogorovSmirnov
    from fewest.selectors.l0_svm import L0SVM
    from fewest.selectors.l1_svm import L1SVM
    from fewest.selectors.map_relief import MAPRelief
    from fewest.selectors.max_dependency import MaxDependency
    from fewest.selectors.max_relevance import MaxRelevance
    from fewest.selectors.mrmr import MRMR
    from fewest.selectors.non_monotonic_mkl import NonMonotonicMKL
    from fewest.selectors.parzen_relief import ParzenRelief
    from fewest.selectors.pearson_correlation import PearsonCorrelation
    from fewest.selectors.r2w2 import R2W2
    from fewest.selectors.radius_margin import RadiusMargin
    from fewest.selectors.relief import Relief
    from fewest.selectors.relieff import ReliefF
    from fewest.selectors.selector import Selector
    from fewest.selectors.stump_boosting import StumpBoosting
    from fewest.selectors.svm_rfe import SVMRFE
    from fewest.selectors.svm_weights import SVMWeights
    from fewest.selectors.two_stage import TwoStage
    from fewest.selectors.wrapper import Wrapper

__all__ = [
    "FSV",
    "L0SVM",
    "L1SVM",
    "MRMR",
    "R2W2",
    "SVMRFE",
    "ChiSquare",
    "FeatureSelector",
    "FisherMarkov",
    "FisherScore",
    "ForestImportance",
    "InformationGain",
    "IterativeRelief",
    "KernelAlignment",
    "KernelSeparability",
    "KolmogorovSmirnov",
    "MAPRelief",
    "MaxDependency",
    "MaxRelevance",
    "NonMonotonicMKL",
    "ParzenRelief",
    "PearsonCorrelation",
    "RadiusMargin",
    "Relief",
    "ReliefF",
    "SVMWeights",
    "StumpBoosting",
    "TwoStage",
    "Wrapper",
]

#: Not a part of the lists that follow from __all__.
_BESIDES = ("Selector",)

__getattr__ = names_of(__name__)


def methods_by_name() -> dict[str, type[Selector]]:
    """Every selector that has a name on the command line."""
    selectors = (getattr(sys.modules[__name__], name) for name in __all__)
    return {selector.name: selector for selector in selectors if selector.name}


def method_by_name(name: str) -> type[Selector]:
    """The selector of this name; an unknown one gets the nearest suggested."""
    methods = methods_by_name()
    if name not in methods:
        raise InvalidParameter(f"There is no method {name!r}{did_you_mean(name, methods)}. See `fewest methods`.")
    return methods[name]

"""The fewest features that still tell your classes apart, with proof of what can be proved."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewest.criteria import (
        BayesError,
        BoostedStumps,
        ClassCorrelation,
        Coding,
        ConcaveMargin,
        CrossValidatedError,
        DistributionDistance,
        ForestGain,
        HitMissMargin,
        IterativeMargin,
        JointInformation,
        KernelScatter,
        KernelTrace,
        LinearMargin,
        LinearRadiusMargin,
        MapMargin,
        MutualInformation,
        ParzenMargin,
        RadiusMarginBound,
        RelevanceRedundancy,
        RescaledMargin,
        ScatterRatio,
        ScatterTrace,
        SparseMargin,
        StateChiSquare,
        SvmMargin,
        TargetAlignment,
    )
    from fewest.errors import FewestError, FewestWarning
    from fewest.evaluation import Comparison, SplitColumn, compare
    from fewest.searches import (
        GreedyBackward,
        GreedyFloating,
        GreedyForward,
        IndividualRanking,
        MaximumClosure,
        MinimumCut,
        RecursiveElimination,
        RelaxAndRound,
        StoppingRule,
        WeightAscent,
    )
    from fewest.selection import Selection
    from fewest.selectors import (
        FSV,
        L0SVM,
        L1SVM,
        MRMR,
        R2W2,
        SVMRFE,
        ChiSquare,
        FeatureSelector,
        FisherMarkov,
        FisherScore,
        ForestImportance,
        InformationGain,
        IterativeRelief,
        KernelAlignment,
        KernelSeparability,
        KolmogorovSmirnov,
        MAPRelief,
        MaxDependency,
        MaxRelevance,
        NonMonotonicMKL,
        ParzenRelief,
        PearsonCorrelation,
        RadiusMargin,
        Relief,
        ReliefF,
        StumpBoosting,
        SVMWeights,
        TwoStage,
        Wrapper,
    )
    from fewest.sources.scan import scan
    from fewest.statistics import ClassMoments, PairMoments, Rows

__all__ = [
    "FSV",
    "L0SVM",
    "L1SVM",
    "MRMR",
    "R2W2",
    "SVMRFE",
    "BayesError",
    "BoostedStumps",
    "ChiSquare",
    "ClassCorrelation",
    "ClassMoments",
    "Coding",
    "Comparison",
    "ConcaveMargin",
    "CrossValidatedError",
    "DistributionDistance",
    "FeatureSelector",
    "FewestError",
    "FewestWarning",
    "FisherMarkov",
    "FisherScore",
    "ForestGain",
    "ForestImportance",
    "GreedyBackward",
    "GreedyFloating",
    "GreedyForward",
    "HitMissMargin",
    "IndividualRanking",
    "InformationGain",
    "IterativeMargin",
    "IterativeRelief",
    "JointInformation",
    "KernelAlignment",
    "KernelScatter",
    "KernelSeparability",
    "KernelTrace",
    "KolmogorovSmirnov",
    "LinearMargin",
    "LinearRadiusMargin",
    "MAPRelief",
    "MapMargin",
    "MaxDependency",
    "MaxRelevance",
    "MaximumClosure",
    "MinimumCut",
    "MutualInformation",
    "NonMonotonicMKL",
    "PairMoments",
    "ParzenMargin",
    "ParzenRelief",
    "PearsonCorrelation",
    "RadiusMargin",
    "RadiusMarginBound",
    "RecursiveElimination",
    "RelaxAndRound",
    "RelevanceRedundancy",
    "Relief",
    "ReliefF",
    "RescaledMargin",
    "Rows",
    "SVMWeights",
    "ScatterRatio",
    "ScatterTrace",
    "Selection",
    "SparseMargin",
    "SplitColumn",
    "StateChiSquare",
    "StoppingRule",
    "StumpBoosting",
    "SvmMargin",
    "TargetAlignment",
    "TwoStage",
    "WeightAscent",
    "Wrapper",
    "compare",
    "scan",
]

_MODULES = ("selectors", "criteria", "searches", "statistics", "sources", "evaluation", "selection", "errors")


def __getattr__(name: str) -> Any:
    # Names are found when first used, so that `fewest --help` does not wait for scikit-learn.
    if name in __all__:
        for module in _MODULES:
            found = getattr(import_module(f"fewest.{module}"), name, None)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module 'fewest' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

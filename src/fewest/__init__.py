"""The fewest features that still tell your classes apart, with proof of what can be proved."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewest.criteria import (
        BayesError,
        ClassCorrelation,
        Coding,
        ConcaveMargin,
        CrossValidatedError,
        HitMissMargin,
        IterativeMargin,
        JointInformation,
        KernelTrace,
        LinearMargin,
        MapMargin,
        MutualInformation,
        ParzenMargin,
        RelevanceRedundancy,
        RescaledMargin,
        ScatterRatio,
        ScatterTrace,
        SparseMargin,
        StateChiSquare,
    )
    from fewest.errors import FewestError, FewestWarning
    from fewest.searches import (
        GreedyBackward,
        GreedyFloating,
        GreedyForward,
        IndividualRanking,
        MaximumClosure,
        MinimumCut,
        RecursiveElimination,
        StoppingRule,
    )
    from fewest.selection import Selection
    from fewest.selectors import (
        FSV,
        L0SVM,
        L1SVM,
        MRMR,
        SVMRFE,
        ChiSquare,
        FeatureSelector,
        FisherMarkov,
        FisherScore,
        InformationGain,
        IterativeRelief,
        MAPRelief,
        MaxDependency,
        MaxRelevance,
        ParzenRelief,
        PearsonCorrelation,
        Relief,
        ReliefF,
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
    "SVMRFE",
    "BayesError",
    "ChiSquare",
    "ClassCorrelation",
    "ClassMoments",
    "Coding",
    "ConcaveMargin",
    "CrossValidatedError",
    "FeatureSelector",
    "FewestError",
    "FewestWarning",
    "FisherMarkov",
    "FisherScore",
    "GreedyBackward",
    "GreedyFloating",
    "GreedyForward",
    "HitMissMargin",
    "IndividualRanking",
    "InformationGain",
    "IterativeMargin",
    "IterativeRelief",
    "JointInformation",
    "KernelTrace",
    "LinearMargin",
    "MAPRelief",
    "MapMargin",
    "MaxDependency",
    "MaxRelevance",
    "MaximumClosure",
    "MinimumCut",
    "MutualInformation",
    "PairMoments",
    "ParzenMargin",
    "ParzenRelief",
    "PearsonCorrelation",
    "RecursiveElimination",
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
    "StateChiSquare",
    "StoppingRule",
    "TwoStage",
    "Wrapper",
    "scan",
]

_MODULES = ("selectors", "criteria", "searches", "statistics", "sources", "selection", "errors")


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

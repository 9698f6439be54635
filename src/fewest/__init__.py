"""The fewest features that still tell your classes apart, with proof of what can be proved."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewest.criteria import (
        BayesError,
        ClassCorrelation,
        Coding,
        CrossValidatedError,
        HitMissMargin,
        IterativeMargin,
        JointInformation,
        KernelTrace,
        MapMargin,
        MutualInformation,
        ParzenMargin,
        RelevanceRedundancy,
        ScatterRatio,
        ScatterTrace,
        StateChiSquare,
        SvmMargin,
    )
    from fewest.errors import FewestError, FewestWarning
    from fewest.searches import (
        GreedyBackward,
        GreedyFloating,
        GreedyForward,
        IndividualRanking,
        MaximumClosure,
        MinimumCut,
        RelaxAndRound,
        StoppingRule,
    )
    from fewest.selection import Selection
    from fewest.selectors import (
        MRMR,
        ChiSquare,
        FeatureSelector,
        FisherMarkov,
        FisherScore,
        InformationGain,
        IterativeRelief,
        MAPRelief,
        MaxDependency,
        MaxRelevance,
        NonMonotonicMKL,
        ParzenRelief,
        PearsonCorrelation,
        Relief,
        ReliefF,
        TwoStage,
        Wrapper,
    )
    from fewest.sources.scan import scan
    from fewest.statistics import ClassMoments, PairMoments, Rows

__all__ = [
    "MRMR",
    "BayesError",
    "ChiSquare",
    "ClassCorrelation",
    "ClassMoments",
    "Coding",
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
    "RelaxAndRound",
    "RelevanceRedundancy",
    "Relief",
    "ReliefF",
    "Rows",
    "ScatterRatio",
    "ScatterTrace",
    "Selection",
    "StateChiSquare",
    "StoppingRule",
    "SvmMargin",
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

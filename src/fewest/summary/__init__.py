"""What a comparison found, as frozen dataclasses.

Evaluation builds a Summary. The page, the terminal, tables and JSON read the same objects. What is called error is the
loss of the metric of the comparison on test rows, averaged over the splits: less is better. `TableSummary.metric`
writes a loss as users read it; with the metric "error" it is the share of the test rows that were misclassified.
"""

from __future__ import annotations

from fewest.summary.comparison_summary import AcrossTables, Setup, Summary, TableSummary
from fewest.summary.data_summary import ClassCount, ColumnKinds, DataSummary, Finding
from fewest.summary.feature_pictures import (
    ClassDensity,
    ClassShares,
    FeatureDensity,
    FeaturePair,
    FeatureShares,
    Pictures,
    Redundancy,
    Views,
)
from fewest.summary.method_results import (
    AllFeatures,
    ClassifierResult,
    ClassRecall,
    Confusion,
    CurvePoint,
    Estimate,
    Frequency,
    Leak,
    MethodSummary,
    NestedResult,
    PairTest,
    SplitChoices,
    SplitPairTest,
    StabilityIndex,
    StabilityPaths,
    TruthRanking,
)
from fewest.summary.recommended_features import (
    RecommendedFeature,
    RecommendedSubset,
    Similar,
    Substitute,
    Substitutes,
    Swap,
)

__all__ = [
    "AcrossTables",
    "AllFeatures",
    "ClassCount",
    "ClassDensity",
    "ClassRecall",
    "ClassShares",
    "ClassifierResult",
    "ColumnKinds",
    "Confusion",
    "CurvePoint",
    "DataSummary",
    "Estimate",
    "FeatureDensity",
    "FeaturePair",
    "FeatureShares",
    "Finding",
    "Frequency",
    "Leak",
    "MethodSummary",
    "NestedResult",
    "PairTest",
    "Pictures",
    "RecommendedFeature",
    "RecommendedSubset",
    "Redundancy",
    "Setup",
    "Similar",
    "SplitChoices",
    "SplitPairTest",
    "StabilityIndex",
    "StabilityPaths",
    "Substitute",
    "Substitutes",
    "Summary",
    "Swap",
    "TableSummary",
    "TruthRanking",
    "Views",
]

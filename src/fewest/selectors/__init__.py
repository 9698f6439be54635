"""The scikit-learn estimators: a criterion and a search under the name people know."""

from fewest.selectors.feature_selector import FeatureSelector
from fewest.selectors.fisher_markov import FisherMarkov
from fewest.selectors.fisher_score import FisherScore
from fewest.selectors.pearson_correlation import PearsonCorrelation

__all__ = ["FeatureSelector", "FisherMarkov", "FisherScore", "PearsonCorrelation"]

"""Every method, on few features and in little time: those that fit classifiers by the thousand have a fast one."""

from __future__ import annotations

from fewest import R2W2, AutoSelector, RadiusMargin, StabilitySelection, TwoStage, Wrapper
from fewest.selectors.registry import methods_by_name

from ..nearest_means import NearestMeans

QUICK_SELECTORS = {
    **{name: selector(n_features=3) for name, selector in methods_by_name().items()},
    "wrapper": Wrapper(NearestMeans(), n_features=3, cv=2),
    "two-stage": TwoStage(n_features=3, estimator=NearestMeans(), cv=2),
    "auto": AutoSelector(n_features=3, cv=2, estimator=NearestMeans()),
    "radius-margin": RadiusMargin(n_features=3, max_steps=3),
    "r2w2": R2W2(n_features=3, max_steps=5),
    "stability-selection": StabilitySelection("fisher-score", n_features=3, n_pairs=5),
}

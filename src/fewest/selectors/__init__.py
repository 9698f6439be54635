"""The scikit-learn estimator base: fit, transform, choice of size, tuning."""

"""Thresholds in single columns: Kolmogorov-Smirnov, boosted stumps."""

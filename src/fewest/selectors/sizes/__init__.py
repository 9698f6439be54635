"""The number of features, chosen by cross-validation."""

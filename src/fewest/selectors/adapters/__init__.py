"""Selectors around others: without some columns, or of scikit-learn."""

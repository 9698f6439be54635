"""Non-monotonic feature selection by multiple kernel learning."""

"""The data check: columns and rows that should be looked at before features are selected."""

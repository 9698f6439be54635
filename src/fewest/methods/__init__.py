"""One folder per family of methods: its statistics, criteria, solvers and estimators."""

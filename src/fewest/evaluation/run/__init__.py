"""Running a comparison: trials, jobs, classifiers."""

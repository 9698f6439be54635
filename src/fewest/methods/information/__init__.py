"""Information: mutual information, mRMR and its relatives, chi-square."""

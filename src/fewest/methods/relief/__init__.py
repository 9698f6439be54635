"""Relief, ReliefF, iterative, Parzen and MAP Relief; the Bayes error."""

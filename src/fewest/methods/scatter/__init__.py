"""Class scatter: the Fisher-Markov selector, the Fisher score, correlation."""

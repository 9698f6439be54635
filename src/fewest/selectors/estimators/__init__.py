"""Classifiers that evaluate features: by name, of one kind for a method, and several kinds together."""

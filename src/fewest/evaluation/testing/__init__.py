"""Significance, intervals and stability."""

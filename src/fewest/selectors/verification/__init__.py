"""Verify that a selection tells the truth: its selector rebuilt and fitted anew, its numbers recomputed."""

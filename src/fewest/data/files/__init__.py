"""Readers of files, a module per format."""

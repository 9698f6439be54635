"""The report of a comparison: one HTML file that loads nothing."""

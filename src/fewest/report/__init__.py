"""The summary of a comparison becomes one HTML file that needs nothing but itself."""

from fewest.report.page import render

__all__ = ["render"]

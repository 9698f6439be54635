"""Data sets to try a method on: real ones that come with scikit-learn, and the papers' generators."""

from fewest.datasets.catalogue import load, names
from fewest.datasets.dataset import Dataset
from fewest.datasets.generators import fifty_two_features, synthetic_1, toy_xyz
from fewest.datasets.imbalance import hide_class
from fewest.datasets.probes import add_probes

__all__ = ["Dataset", "add_probes", "fifty_two_features", "hide_class", "load", "names", "synthetic_1", "toy_xyz"]

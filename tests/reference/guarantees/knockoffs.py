"""Knockoffs, transcribed from Barber and Candès (2015), Candès et al. (2018) and Spector and Janson (2022)."""

from __future__ import annotations

import numpy as np


def threshold(statistics, level, offset):
    """min{t > 0 : (offset + #{W <= -t}) / max(1, #{W >= t}) <= level}, over t = |W|."""
    for t in sorted({abs(w) for w in statistics if w != 0}):
        below = sum(w <= -t for w in statistics)
        above = sum(w >= t for w in statistics)
        if (offset + below) / max(1, above) <= level:
            return t
    return np.inf


def joint_covariance(correlation, distances):
    """The covariance of columns and copies."""
    across = correlation - np.diag(distances)
    return np.block([[correlation, across], [across, correlation]])


def reconstructability(correlation, distances):
    """The trace of the inverse of the joint covariance: the sum of 1 / Var(column | all others)."""
    return np.trace(np.linalg.inv(joint_covariance(correlation, distances)))

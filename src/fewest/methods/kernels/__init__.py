"""Kernels: class separability, target alignment, the radius-margin bound."""

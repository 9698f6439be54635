"""Tests at every SIMD level that the processor has."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from fewest import _core

LEVELS = ["base", "x86-64-v2", "x86-64-v3", "x86-64-v4"]


def _is_here(name):
    before = _core.simd_level()
    is_here = _core.use_simd_level(name)
    _core.use_simd_level(before)
    return is_here


LEVELS_HERE = [name for name in LEVELS if _is_here(name)]


@contextmanager
def at_level(name):
    before = _core.simd_level()
    if not _core.use_simd_level(name):
        pytest.skip("this processor lacks the level")
    try:
        yield
    finally:
        _core.use_simd_level(before)

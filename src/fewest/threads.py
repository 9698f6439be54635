"""How many threads to use: as many as scikit-learn would."""

from __future__ import annotations


def thread_count() -> int:
    """The number that OMP_NUM_THREADS and threadpoolctl allow; never part of a result."""
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    return int(_openmp_effective_n_threads())

"""Settings that must come before NumPy and SciPy are imported."""

import os

# scikit-learn's array API check runs only with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# Tests that run side by side already use all processors: more threads of matrix products would wait for each other.
# What must not depend on their number sets it by itself.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import settings

# A busy machine is not a failure; and where a change is judged, the same examples judge every change.
settings.register_profile("steady", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("steady")

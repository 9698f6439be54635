"""Settings that must come before SciPy is imported."""

import os

# scikit-learn's array API check runs only with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

from hypothesis import settings

# A busy machine is not a failure; and where a change is judged, the same examples judge every change.
settings.register_profile("steady", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("steady")

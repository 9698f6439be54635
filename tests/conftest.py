"""Settings that must come before SciPy is imported."""

import os

# scikit-learn's array API check runs only with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

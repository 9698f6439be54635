"""Names for the arrays that functions take and return."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
#: Positions of rows or columns.
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
#: The class, or the category, of each row.
Codes = NDArray[np.int32]
Hashes = NDArray[np.uint64]

"""Numbers can be judged without waiting for what judges classifiers."""

import subprocess
import sys


def test_neither_scikit_learn_nor_scipy_is_imported_before_it_is_needed():
    code = (
        "import sys; import fewest.evaluation.significance, fewest.evaluation.stability, fewest.evaluation.measures; "
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'scipy', 'sklearn', 'pandas'}))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"

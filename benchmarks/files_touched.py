"""The files of fewest that a reader passes through: those of whose functions at least one is called.

python benchmarks/files_touched.py            both below, in the order of the first calls
python benchmarks/files_touched.py mrmr       MRMR().fit(X, y) on an array
python benchmarks/files_touched.py compare    fewest compare wine, before the first fit of a selector

What runs while a module is imported (its body, decorators, class bodies) is left out; how many files there are with it
is said too. One process each, and one thread, so that no call escapes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from types import FrameType

NAMES = ("mrmr", "compare")


class FirstFit(BaseException):
    """Raised where the first selector is fitted: no handler of errors is meant for it."""


class Tracer:
    """Notes the first function called in every file below a folder."""

    def __init__(self, folder: str, stop: tuple[str, str] | None = None) -> None:
        self.folder = folder + os.sep
        self.stop = stop
        self.called: dict[str, str] = {}
        self.imported: set[str] = set()
        self._n_imports = 0  # module bodies that are running

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(self.folder):
            return
        is_body = code.co_name == "<module>"
        if event == "return":
            self._n_imports -= is_body
            return
        self._n_imports += is_body
        path = code.co_filename.removeprefix(self.folder).replace(os.sep, "/")
        self.imported.add(path)
        if self._n_imports:
            return
        if (path, code.co_name) == self.stop:
            raise FirstFit
        self.called.setdefault(path, code.co_qualname)


def trace_mrmr() -> Tracer:
    from sklearn.datasets import load_wine

    import fewest

    X, y = load_wine(return_X_y=True)
    tracer = Tracer(os.path.dirname(fewest.__file__))
    selector = fewest.MRMR()
    sys.setprofile(tracer)
    selector.fit(X, y)
    sys.setprofile(None)
    return tracer


def trace_compare() -> Tracer:
    import fewest
    from fewest.cli import main

    tracer = Tracer(os.path.dirname(fewest.__file__), stop=("selectors/selector.py", "_fit"))
    sys.setprofile(tracer)
    try:
        main(["compare", "wine", "--jobs", "1", "--quiet"])
    except FirstFit:
        sys.setprofile(None)
    return tracer


def main(names: list[str]) -> int:
    if unknown := sorted(set(names) - set(NAMES)):
        print(f"nothing named {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    if len(names) != 1:
        for name in names or NAMES:
            subprocess.run([sys.executable, __file__, name], check=True)
        return 0
    found = {"mrmr": trace_mrmr, "compare": trace_compare}[names[0]]()
    title = {"mrmr": "MRMR().fit(X, y)", "compare": "fewest compare wine, before the fits"}[names[0]]
    print(f"{title}: {len(found.called)} files; {len(found.imported | set(found.called))} with what imports run")
    for path, function in found.called.items():
        print(f"  {path:<55} {function}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Ours beside the peers and the floor, in one run, as ratios.

python benchmarks/run.py              all of them
python benchmarks/run.py dense relief those named
python benchmarks/run.py dense --store  writes docs/benchmarks.md besides
"""

from __future__ import annotations

import importlib
import sys

import benchmarks_page

NAMES = (
    "dense",
    "parquet_folder",
    "csv_file",
    "arrow_file",
    "start_up",
    "pairs",
    "cuts",
    "mrmr",
    "mrmr_parzen",
    "joint_information",
    "relief",
    "relief_labels",
    "permutations",
    "parzen_relief",
    "kernel_separability",
    "kernel_alignment",
    "radius_margin",
    "sorted_columns",
    "wrappers",
    "svm",
    "l1_svm",
    "mkl",
    "compare",
    "check",
    "scaling",
    "engines",
)


def main(arguments: list[str]) -> int:
    names = [name for name in arguments if name != "--store"]
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"no benchmark named {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    missed = 0
    for name in names or NAMES:
        rows = []
        print(f"\n{name}: {importlib.import_module(name).__doc__.splitlines()[0]}")
        for row in importlib.import_module(name).measure():
            print(f"  {row}")
            missed += not row.is_met
            rows.append(row)
        if "--store" in arguments:
            benchmarks_page.store({name: [benchmarks_page.entry(row) for row in rows]})
    print(f"\n{missed} target(s) missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""KernelAlignment, forward, 20 features: processor time beside what it was."""

from __future__ import annotations

from tables import table_of
from timing import Row, least_cpu

from fewest import KernelAlignment


def measure():
    # Seconds before columns were ruled out by bounds over all widths.
    for (n_rows, n_columns), before in (((1_000, 100), 43.0), ((200, 1_000), 22.0)):
        X, y = table_of(n_rows, n_columns)
        ours = least_cpu(lambda X=X, y=y: KernelAlignment(n_features=20).fit(X, y), rounds=2)[0]
        yield Row(f"{n_rows:,} × {n_columns:,}", ours, before, "before", 8.0, unit="s", is_upper=False)

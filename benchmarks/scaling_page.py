"""Writes docs/scaling.md and its pictures from the measured costs of every method."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from fewest.cli.methods import page_of
from fewest.selectors.measured_costs import fitted_exponent, measured_costs, written_seconds
from fewest.selectors.registry import methods_by_name

DOCS = Path(__file__).parents[1] / "docs"
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#7a7a7a",
    "#000000",
    "#8c564b",
    "#17becf",
    "#bcbd22",
)
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}.h{font-weight:600;font-size:14px}.s{fill:#666}.g{stroke:#ddd}"
    "path{fill:none;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#ddd}.s{fill:#aaa}.g{stroke:#444}}"
)
FIXED = {
    "rows": "50 columns, 2 classes",
    "columns": "300 rows, 2 classes",
    "classes": "4,000 rows, 50 columns",
}
PANEL, PLOT, LINE, N_ACROSS, MARGIN = 300, 190, 16, 3, 54

PAGE = """# What every method costs

Measured on tables of normal columns, one in ten of which differs between the classes, with the methods' defaults and 20
features (`wrapper` and `two-stage`: 5). Time is that of the processor, all threads added. `fewest methods NAME` shows
the same figures.

    python benchmarks/scaling.py             # measures again and writes this page
    python benchmarks/scaling.py --check     # compares exponents and memories with their limits

The exponents are fitted to the three largest tables measured along each axis: with an exponent of 1 twice the rows take
twice the time, with 2 four times. Exponents below 0 come of work that does not depend on the axis, and of noise. Memory
is what a fit of 100,000 × 100 (76 MiB) takes besides the table, as a multiple of it; where it would take minutes, or
more memory than is allowed, that of a fit on a [sample](guide/larger_than_memory.md), which is named.

An exponent in rows of up to about 1.3 need not mean that a method counts more than a multiple of the rows. A comparison
sort of n values takes n log n steps, an exponent of 1.08 at these sizes (the trees of `forest-importance` sort at every
level). `kolmogorov-smirnov` and `stump-boosting` sort by digits, in a number of steps proportional to n; but they jump
from row to row, and each jump takes longer once the rows outgrow the processor's caches: about 20 ns a value at 16,000
rows, 34 ns at 512,000, for `kolmogorov-smirnov`. `stump-boosting` also takes more rounds until 20 columns are used: 42
at 16,000 rows, 103 at 32,000 and 123 at 64,000.

| method | 1,000 × 100 | rows | columns | classes | memory |
|---|---:|---:|---:|---:|---:|
{table}

{figures}
"""


def table_lines():
    for name, cost in measured_costs().items():
        powers = " | ".join(f"{fitted_exponent(points):.2f}" for points in (cost.rows, cost.columns, cost.classes))
        sample = f", sample={cost.sample:,}" if cost.sample else ""
        link = f"[`{name}`](methods/{Path(page_of(name)).name})"
        yield f"| {link} | {written_seconds(cost.seconds)} | {powers} | {cost.memory:.1f} ×{sample} |"


def families():
    found = {}
    for name, kind in methods_by_name().items():
        if name in measured_costs():
            found.setdefault(kind.__module__.split(".")[2], []).append(name)
    return found


def panel(title, curves):
    """One picture of log time against log size, with the names and exponents below it."""
    sizes = [size for points in curves.values() for size, _ in points]
    low, high = math.log10(min(sizes)), math.log10(max(sizes))

    def place(size, seconds):
        x = MARGIN + (math.log10(size) - low) / (high - low) * (PANEL - MARGIN - 14)
        return x, 24 + (2 - math.log10(max(seconds, 1e-5))) / 7 * PLOT

    yield f'<text class="h" x="{MARGIN}" y="14">{title}</text>'
    for power in range(-5, 3):
        _, y = place(min(sizes), 10.0**power)
        label = {0: "1 s", 1: "10 s", 2: "100 s", -1: "100 ms", -2: "10 ms", -3: "1 ms", -4: "0.1 ms"}.get(power, "")
        yield f'<line class="g" x1="{MARGIN}" x2="{PANEL - 14}" y1="{y:.0f}" y2="{y:.0f}"/>'
        yield f'<text class="s" x="{MARGIN - 5}" y="{y + 4:.0f}" text-anchor="end">{label}</text>'
    for size in sorted({min(sizes), max(sizes)}):
        anchor = "start" if size == min(sizes) else "end"
        yield f'<text class="s" x="{place(size, 1)[0]:.0f}" y="{24 + PLOT + 15}" text-anchor="{anchor}">{size:,}</text>'
    for number, (name, points) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
        yield f'<path d="M{path.replace(" ", " L")}" stroke="{colour}"/>'
        y = 24 + PLOT + 33 + LINE * number
        yield f'<path d="M{MARGIN},{y - 4} h16" stroke="{colour}"/>'
        power = f'<tspan class="s">{fitted_exponent(points):.2f}</tspan>'
        yield f'<text x="{MARGIN + 22}" y="{y}">{escape(name)} {power}</text>'


def figure(axis):
    """The SVG of one axis: a picture for each family."""
    costs = measured_costs()
    groups = {family: {name: getattr(costs[name], axis) for name in names} for family, names in families().items()}
    height = 24 + PLOT + 40 + LINE * max(map(len, groups.values()))
    parts = []
    for number, (family, curves) in enumerate(groups.items()):
        x, y = PANEL * (number % N_ACROSS), height * (number // N_ACROSS)
        parts.append(f'<g transform="translate({x},{y})">{"".join(panel(family, curves))}</g>')
    across, down = PANEL * N_ACROSS, height * math.ceil(len(groups) / N_ACROSS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" height="{down}">'
        f"<title>Processor time against {axis} ({FIXED[axis]}), by family</title><style>{STYLE}</style>"
        f"{''.join(parts)}</svg>\n"
    )


def page():
    """The text of docs/scaling.md."""
    figures = "\n\n".join(
        f"## Against {axis}\n\n{fixed}; the numbers are fitted exponents.\n\n"
        f"![Processor time against {axis}, a picture for each family](figures/scaling_{axis}.svg)"
        for axis, fixed in FIXED.items()
    )
    return PAGE.format(table="\n".join(table_lines()), figures=figures)


def write_page():
    for axis in FIXED:
        (DOCS / "figures" / f"scaling_{axis}.svg").write_text(figure(axis), "utf-8")
    (DOCS / "scaling.md").write_text(page(), "utf-8")

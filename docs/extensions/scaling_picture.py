"""The measured time of methods against rows and columns, as an SVG in the colours of the page."""

from __future__ import annotations

import math

from fewest.selectors.measured_costs import fitted_exponent, measured_costs

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 330, 210, 56, 26, 26
TICKS = {-4: "0.1 ms", -3: "1 ms", -2: "10 ms", -1: "100 ms", 0: "1 s", 1: "10 s", 2: "100 s"}
FIXED = {"rows": "50 columns", "columns": "300 rows"}
DASHES = ("", "6 3", "2 3", "9 3 2 3")


def scaling_picture(names):
    """Return two panels of log time against log size: the named methods in front of all others."""
    panels = [
        f'<g transform="translate({number * (WIDTH + 10)},0)">{"".join(_panel(axis, names))}</g>'
        for number, axis in enumerate(FIXED)
    ]
    words = f"Processor time of {', '.join(names)} against rows and columns, with all other methods in grey"
    return (
        f'<svg class="scaling" viewBox="0 0 {2 * WIDTH + 10} {HEIGHT}" role="img" aria-label="{words}">'
        f"{''.join(panels)}</svg>"
    )


def _panel(axis, names):
    costs = {name: getattr(cost, axis) for name, cost in measured_costs().items()}
    sizes = [size for points in costs.values() for size, _ in points]
    low, high = math.log10(min(sizes)), math.log10(max(sizes))

    def place(size, seconds):
        x = LEFT + (math.log10(size) - low) / (high - low) * (WIDTH - LEFT - 8)
        y = TOP + (2 - math.log10(min(max(seconds, 1e-4), 100))) / 6 * (HEIGHT - TOP - BOTTOM)
        return f"{x:.1f},{y:.1f}"

    yield f'<text class="title" x="{LEFT}" y="14">Time against {axis}, {FIXED[axis]}</text>'
    for power, label in TICKS.items():
        y = place(10**low, 10.0**power).split(",")[1]
        yield f'<line x1="{LEFT}" x2="{WIDTH - 8}" y1="{y}" y2="{y}"/>'
        yield f'<text x="{LEFT - 5}" y="{float(y) + 4:.1f}" text-anchor="end">{label}</text>'
    for size, anchor in ((min(sizes), "start"), (max(sizes), "end")):
        x = place(size, 1).split(",")[0]
        yield f'<text x="{x}" y="{HEIGHT - 8}" text-anchor="{anchor}">{size:,}</text>'
    for name, points in costs.items():
        if name not in names:
            yield f'<path class="other" d="M{" L".join(place(*point) for point in points)}"/>'
    for number, name in enumerate(names):
        path = " L".join(place(*point) for point in costs[name])
        title = f"<title>{name}: exponent {fitted_exponent(costs[name]):.2f}</title>"
        yield f'<path class="own" stroke-dasharray="{DASHES[number]}" d="M{path}">{title}</path>'

"""Two maps: which features were chosen in which resample, and how alike the chosen features are."""

from __future__ import annotations

from collections.abc import Sequence

from fewest.report.drawing import Drawing, both, label_column, place
from fewest.report.markup import Markup, tag
from fewest.report.numbers import percent

_ROW = 20
_N_SHADES = 10


def chosen_map(
    features: Sequence[str], cells: Sequence[Sequence[int]], shares: Sequence[float], alternative: str
) -> Markup:
    """A row a feature, a column a resample, filled where it was chosen; the share at the end of the row."""
    n_columns = max((len(row) for row in cells), default=0)

    def draw(width: int) -> Drawing:
        labels = label_column(features, width, 0.36) + 12
        step = min(22.0, (width - labels - 48) / max(n_columns, 1))
        gap = 2.0 if step > 7 else 0.6
        drawing = Drawing(width, _ROW * len(features) + 26)
        filled: list[str] = []
        empty: list[str] = []
        for number, row in enumerate(cells):
            y = _ROW * number + 2
            drawing.word(labels - 8, y + 13, features[number], "end", most=labels - 8)
            for column, value in enumerate(row):
                square = _rectangle(labels + step * column, y, step - gap, _ROW - 3)
                (filled if value else empty).append(square)
            drawing.word(labels + step * n_columns + 6, y + 13, percent(shares[number]), css="quiet")
        drawing.add(tag("path", d="".join(empty), class_="empty"), tag("path", d="".join(filled), class_="filled"))
        middle = labels + step * n_columns / 2
        drawing.word(middle, _ROW * len(features) + 20, f"{n_columns} resamples", "middle", "quiet")
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def likeness_map(features: Sequence[str], matrix: Sequence[Sequence[float]], alternative: str) -> Markup:
    """A cell a pair of features, the stronger its colour the more alike; the upper half would be the same."""

    def draw(width: int) -> Drawing:
        n = len(features)
        labels = label_column(features, width, 0.36) + 12
        side = min(46.0, (min(width, 640) - labels - 26) / max(n - 1, 1))
        height = min(max(side, 18.0), 30.0)
        drawing = Drawing(width, height * n + 16)
        shades: list[list[str]] = [[] for _ in range(_N_SHADES + 1)]
        numbers = Drawing(0, 0)
        for row in range(n):
            y = height * row + 2
            drawing.word(labels - 8, y + height / 2 + 4.5, features[row], "end", most=labels - 8)
            for column in range(row):
                value = min(max(matrix[row][column], 0.0), 1.0)
                square = _rectangle(labels + side * column, y, side - 2, height - 2)
                shades[round(value * _N_SHADES)].append(square)
                if side >= 30:
                    css = "on-dark" if value >= 0.8 else ""
                    x = labels + side * column + side / 2 - 1
                    numbers.word(x, y + height / 2 + 3.5, f"{value:.2f}".lstrip("0") or "0", "middle", css)
            # The number at the end of a row stands above the column of the same feature.
            if side >= 15:
                drawing.word(labels + side * row + side / 2 - 1, y + height / 2 + 4.5, str(row + 1), "middle", "quiet")
        for shade, squares in enumerate(shades):
            if squares:
                drawing.add(tag("path", d="".join(squares), class_=f"shade s{shade}"))
        drawing.add(numbers.inside())
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def _rectangle(x: float, y: float, width: float, height: float) -> str:
    return f"M{place(x)} {place(y)}h{place(width)}v{place(height)}h{place(-width)}z"

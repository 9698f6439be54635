"""Heat maps: which features were chosen in which resample, and how alike the chosen features are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fewest.formatting import percent
from fewest.report.charts.drawing import Drawing, both, label_column, px
from fewest.report.markup import tag

_ROW = 20
_N_SHADES = 10


@dataclass(frozen=True)
class _Grid:
    """A grid of cells of one size, with space between them."""

    left: float
    top: float
    width: float
    height: float
    space_x: float
    space_y: float

    def cells(self, found: Sequence[tuple[int, int]], css: str) -> Markup:
        """Draw the cells at (column, row) as thick short strokes, which take the fewest characters."""
        length = f"h{1 - self.space_x / self.width:.2f}".replace("0.", ".")
        thick = 1 - self.space_y / self.height
        middle = self.top + thick * self.height / 2
        return tag(
            "path",
            d="".join(f"M{column} {row}{length}" for column, row in found),
            class_=css,
            transform=f"translate({px(self.left)} {px(middle)})scale({self.width:.2f} {self.height:.2f})",
            style=f"stroke-width:{thick:.2f}",
        )


def chosen_map(
    features: Sequence[str], cells: Sequence[Sequence[int]], shares: Sequence[float], alternative: str
) -> Markup:
    """Draw one row per feature and one column per resample, filled where the feature was chosen."""
    n_columns = max((len(row) for row in cells), default=0)

    def draw(width: int) -> Drawing:
        labels = label_column(features, width, 0.36) + 12
        step = min(22.0, (width - labels - 48) / max(n_columns, 1))
        space = 2.0 if step > 7 else 0.6
        drawing = Drawing(width, _ROW * len(features) + 26)
        filled: list[tuple[int, int]] = []
        empty: list[tuple[int, int]] = []
        for number, row in enumerate(cells):
            y = _ROW * number + 2
            drawing.text(labels - 8, y + 13, features[number], "end", most=labels - 8)
            for column, value in enumerate(row):
                (filled if value else empty).append((column, number))
            drawing.text(labels + step * n_columns + 6, y + 13, percent(shares[number]), css="quiet")
        grid = _Grid(labels, 2, step, _ROW, space, 3)
        drawing.add(grid.cells(empty, "empty"), grid.cells(filled, "filled"))
        middle = labels + step * n_columns / 2
        drawing.text(middle, _ROW * len(features) + 20, f"{n_columns} resamples", "middle", "quiet")
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def likeness_map(features: Sequence[str], matrix: Sequence[Sequence[float]], alternative: str) -> Markup:
    """Draw one cell per pair of features, the stronger its colour the more alike they are."""

    def draw(width: int) -> Drawing:
        n = len(features)
        labels = label_column(features, width, 0.36) + 12
        side = min(46.0, (min(width, 640) - labels - 26) / max(n - 1, 1))
        height = min(max(side, 18.0), 30.0)
        drawing = Drawing(width, height * n + 16)
        grid = _Grid(labels, 2, side, height, 2, 2)
        shades: list[list[tuple[int, int]]] = [[] for _ in range(_N_SHADES + 1)]
        numbers = Drawing(0, 0)
        for row in range(n):
            y = height * row + 2
            drawing.text(labels - 8, y + height / 2 + 4.5, features[row], "end", most=labels - 8)
            for column in range(row):
                value = min(max(matrix[row][column], 0.0), 1.0)
                shades[round(value * _N_SHADES)].append((column, row))
                if side >= 30:
                    css = "on-dark" if value >= 0.8 else ""
                    x = labels + side * column + side / 2 - 1
                    numbers.text(x, y + height / 2 + 3.5, f"{value:.2f}".lstrip("0") or "0", "middle", css)
            # The number at the end of a row stands above the column of the same feature.
            if side >= 15:
                drawing.text(labels + side * row + side / 2 - 1, y + height / 2 + 4.5, str(row + 1), "middle", "quiet")
        for shade, squares in enumerate(shades):
            if squares:
                drawing.add(grid.cells(squares, f"shade s{shade}"))
        drawing.add(numbers.inside())
        return drawing

    return tag("div", both(draw, alternative), class_="plot")

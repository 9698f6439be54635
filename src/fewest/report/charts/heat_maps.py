"""Heat maps: which features were chosen in which split, and how alike the chosen features are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from fewest.display.formatting import counted, frequency
from fewest.report.charts.drawing import Drawing, RowNames, both, px
from fewest.report.markup import tag

_TOP, _ROW = 2, 20
N_SHADES = 10


def cells(
    found: Iterable[tuple[int, int]], css: str, left: float, width: float, height: float, space_x: float,
    space_y: float, top: float = _TOP,
) -> Markup:  # fmt: skip
    """Draw the cells at (column, row) as thick short strokes, which take the fewest characters."""
    length = f"h{1 - space_x / width:.2f}".replace("0.", ".")
    thick = 1 - space_y / height
    d = "".join(f"M{column} {row}{length}" for column, row in found)
    scaled = f"translate({px(left)} {px(top + thick * height / 2)})scale({width:.2f} {height:.2f})"
    return tag("path", d=d, class_=css, transform=scaled, style=f"stroke-width:{thick:.2f}")


def chosen_map(
    features: Sequence[str], is_chosen: Sequence[Sequence[int]], shares: Sequence[float], alternative: str
) -> Markup:
    """Draw one row per feature and one column per split, filled where the feature was chosen."""
    n_columns = max((len(row) for row in is_chosen), default=0)

    def draw(width: int) -> Drawing:
        names = RowNames.at(features, width, 0.36)
        labels, pitch = names.left, _ROW + names.above
        step = min(22.0, (width - labels - 48) / max(n_columns, 1))
        space = 2.0 if step > 7 else 0.6
        drawing = Drawing(width, pitch * len(features) + 26)
        for number in range(len(is_chosen)):
            y = pitch * number + _TOP
            names.write(drawing, number, y, y + names.above + 8.5)
            drawing.text(labels + step * n_columns + 6, y + names.above + 13, frequency(shares[number]), css="quiet")
        for value, css in enumerate(("empty", "filled")):
            own = [(x, y) for y, row in enumerate(is_chosen) for x, cell in enumerate(row) if cell == value]
            drawing.add(cells(own, css, labels, step, pitch, space, 3 + names.above, _TOP + names.above))
        middle = max(labels + step * n_columns / 2, 42.0)
        drawing.text(middle, pitch * len(features) + 20, counted(n_columns, "split"), "middle", "quiet")
        return drawing

    return tag("div", both(draw, alternative), class_="plot")


def likeness_map(features: Sequence[str], matrix: Sequence[Sequence[float]], alternative: str) -> Markup:
    """Draw one cell per pair of features, the stronger its colour the more alike they are."""

    def draw(width: int) -> Drawing:
        n = len(features)
        names = RowNames.at(features, width, 0.36)
        labels = names.left
        side = min(46.0, (min(width, 640) - labels - 26) / max(n - 1, 1))
        height = min(max(side, 18.0), 30.0)
        pitch = height + names.above
        drawing = Drawing(width, pitch * n + 16)
        shades: list[list[tuple[int, int]]] = [[] for _ in range(N_SHADES + 1)]
        numbers = Drawing(0, 0)
        for row in range(n):
            y = pitch * row + _TOP + names.above
            names.write(drawing, row, y - names.above, y + height / 2)
            for column in range(row):
                value = min(max(matrix[row][column], 0.0), 1.0)
                shades[round(value * N_SHADES)].append((column, row))
                if side >= 30:
                    css = "on-dark" if value >= 0.8 else ""
                    x = labels + side * column + side / 2 - 1
                    numbers.text(x, y + height / 2 + 3.5, f"{value:.2f}".lstrip("0") or "0", "middle", css)
            # The number at the end of a row stands above the column of the same feature.
            if side >= 15:
                drawing.text(labels + side * row + side / 2 - 1, y + height / 2 + 4.5, str(row + 1), "middle", "quiet")
        for shade, squares in enumerate(shades):
            if squares:
                drawing.add(
                    cells(squares, f"shade s{shade}", labels, side, pitch, 2, 2 + names.above, _TOP + names.above)
                )
        drawing.add(numbers.inside())
        return drawing

    return tag("div", both(draw, alternative), class_="plot")

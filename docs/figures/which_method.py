"""Draws which_method.svg: questions about a table, and the methods that the answers lead to.

python docs/figures/which_method.py

The page includes the picture in itself, so that it has the page's colours, and its methods are links.
"""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_suffix(".svg")
WIDTH, ROW, LINE = 470, 84, 17
QUESTION, ANSWER = (1, 258), (304, 165)  # left edge and width

#: The lines of a question, and the methods with their pages.
STEPS = (
    (
        ("Must something be proved,", "or false features be limited?"),
        (("Guarantees", "guide/guarantees"),),
    ),
    (
        ("Is the table larger than memory?",),
        (("MRMR", "methods/mrmr"), ("FisherMarkov", "methods/fisher_markov")),
    ),
    (
        ("May columns separate the classes", "only together, as in an XOR?"),
        (
            ("ReliefF", "methods/relieff"),
            ("MultiSURF", "methods/multisurf"),
            ("FisherMarkov, pairs", "methods/fisher_markov"),
        ),
    ),
    (
        ("Do columns repeat each other,", "as genes and sensors do?"),
        (("MRMR", "methods/mrmr"),),
    ),
    (
        ("Is one class rare?",),
        (("ParzenRelief", "methods/parzen_relief"),),
    ),
    (
        ("Do classes differ in spread, or", "are there outliers?"),
        (("KolmogorovSmirnov", "methods/kolmogorov_smirnov"),),
    ),
    (
        ("Is it known which classifier", "will be used?"),
        (("Linear SVM: SVMRFE", "methods/svm_rfe"), ("TwoStage, Wrapper", "methods/two_stage")),
    ),
)
LAST = (("None of these, or not known",), (("AutoSelector,", "methods/auto"), ("the default", "methods/auto")))


def lines(left, width, middle, texts):
    """Lines of text around a middle; a pair is a link."""
    for number, text in enumerate(texts):
        y = middle + LINE * (number - (len(texts) - 1) / 2) + 4.5
        words, page = text if isinstance(text, tuple) else (text, None)
        line = f'<text x="{left + width / 2:g}" y="{y:g}" text-anchor="middle">{words}</text>'
        yield f'<a href="{page}.html">{line}</a>' if page else line


def box(kind, left, width, middle, texts):
    height = 20 + LINE * len(texts)
    yield f'<rect class="{kind}" x="{left}" y="{middle - height / 2:g}" width="{width}" height="{height}" rx="6"/>'
    yield from lines(left, width, middle, texts)


def draw():
    parts = []
    centre = QUESTION[0] + QUESTION[1] / 2
    for number, (question, methods) in enumerate((*STEPS, LAST)):
        middle = ROW * number + ROW / 2
        right = QUESTION[0] + QUESTION[1]
        is_last = number == len(STEPS)
        parts += box("question", *QUESTION, middle, question)
        parts += box("answer", *ANSWER, middle, methods)
        parts.append(f'<path d="M{right},{middle:g}H{ANSWER[0] - 3}" marker-end="url(#arrow)"/>')
        if not is_last:
            parts.append(f'<text class="way" x="{right + 21}" y="{middle - 6:g}" text-anchor="middle">yes</text>')
            below = 10 + LINE * len((*STEPS, LAST)[number + 1][0]) / 2
            above = 10 + LINE * len(question) / 2
            path = f"M{centre:g},{middle + above:g}V{middle + ROW - below - 3:g}"
            parts.append(f'<path d="{path}" marker-end="url(#arrow)"/>')
            parts.append(f'<text class="way" x="{centre + 8:g}" y="{middle + ROW / 2 + 4:g}">no</text>')
    height = ROW * (len(STEPS) + 1)
    label = "Questions about a table, from top to bottom, and the methods that the answers lead to"
    arrow = '<marker id="arrow" viewBox="0 0 8 8" refX="5" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    return "\n".join(
        [
            f'<svg class="flow" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="{label}">',
            f'<defs>{arrow}<path d="M0,0L8,4L0,8z"/></marker></defs>',
            *parts,
            "</svg>",
            "",
        ]
    )


def pictures():
    """The text of the picture, by its name."""
    return {"figures/which_method.svg": draw()}


if __name__ == "__main__":
    FILE.write_text(draw(), "utf-8")

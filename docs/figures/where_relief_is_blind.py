"""Draws relief_labels.svg and relief_redundancy.svg: where the methods of the Relief family are blind.

python docs/figures/where_relief_is_blind.py
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from fewest import MRMR, MAPRelief, ParzenRelief, Relief, ReliefF

FOLDER = Path(__file__).parents[1]
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#333}.s{font-size:12px;fill:#666}.g{stroke:#ccc}.a{fill:#0072b2}"
    ".b{fill:#d55e00}@media(prefers-color-scheme:dark){text{fill:#ddd}.s{fill:#aaa}.g{stroke:#555}}"
)
METHODS = {
    "Relief": Relief,
    "Relief, plain": partial(Relief, balance=False),
    "ReliefF": ReliefF,
    "ParzenRelief": ParzenRelief,
    "MAPRelief": MAPRelief,
}


def with_correlated_probes(X, n_probes, seed):
    """Probes that follow five hidden columns, so that they lie near each other row by row; none tells of the class."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(len(X), 5))
    probes = hidden[:, np.arange(n_probes) % 5] + 0.3 * random.normal(size=(len(X), n_probes))
    return np.hstack([X, probes])


def areas(n_shuffles=8):
    """For each method the area under the curve of real columns against probes: true labels, and shuffled ones."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:500, X[:500].std(axis=0) > 0], y[:500]
    is_real = np.repeat([True, False], [X.shape[1], 50])
    found = {}
    for name, method in METHODS.items():
        true, shuffled = [], []
        for seed in range(n_shuffles):
            table = with_correlated_probes(X, 50, seed)
            true.append(roc_auc_score(is_real, method().fit(table, y).scores_))
            labels = np.random.default_rng(seed).permutation(y)
            shuffled.append(roc_auc_score(is_real, method().fit(table, labels).scores_))
        found[name] = float(np.mean(true)), float(np.mean(shuffled))
    return found


def ranks():
    """At which rank each method takes the one column that adds something to six copies of a better one."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 400)
    strong = y + 0.3 * random.normal(size=400)
    copies = np.repeat(strong[:, None], 6, axis=1)
    other = 0.5 * y + 0.6 * random.normal(size=400)
    table = np.column_stack([copies, other, random.normal(size=(400, 13))])
    methods = {name: method for name, method in METHODS.items() if "plain" not in name} | {"MRMR": MRMR}
    return {name: int(method(n_features=20).fit(table, y).ranking_[6]) for name, method in methods.items()}


def page(width, height, label, parts):
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">',
            f"<style>{STYLE}</style>",
            *parts,
            "</svg>",
            "",
        ]
    )


def draw_areas(found):
    def x(area):
        return 150 + 420 * area

    parts = [f'<line class="g" x1="{x(a)}" y1="30" x2="{x(a)}" y2="228"/>' for a in (0, 0.5, 1)]
    parts += [f'<text class="s" x="{x(a)}" y="20" text-anchor="middle">{a:g}</text>' for a in (0, 0.5, 1)]
    for line, (name, (true, shuffled)) in enumerate(found.items()):
        y = 55 + 38 * line
        parts.append(f'<text x="140" y="{y + 5}" text-anchor="end">{name}</text>')
        parts.append(f'<circle class="a" cx="{x(true):.1f}" cy="{y}" r="7"><title>{true:.2f}</title></circle>')
        parts.append(
            f'<rect class="b" x="{x(shuffled) - 6:.1f}" y="{y - 6}" width="12" height="12">'
            f"<title>{shuffled:.2f}</title></rect>"
        )
    parts.append('<circle class="a" cx="160" cy="253" r="7"/><text class="s" x="174" y="258">true labels</text>')
    parts.append('<rect class="b" x="264" y="247" width="12" height="12"/>')
    parts.append('<text class="s" x="284" y="258">shuffled labels: 0.5 is right</text>')
    label = "Area under the curve of real columns against correlated probes, with true and with shuffled labels"
    return page(600, 273, label, parts)


def draw_ranks(found):
    parts = ['<text class="s" x="150" y="20">rank at which the column is taken that is not a copy</text>']
    for line, (name, rank) in enumerate(found.items()):
        y = 45 + 34 * line
        parts.append(f'<text x="140" y="{y + 5}" text-anchor="end">{name}</text>')
        parts.append(f'<rect class="{"a" if rank < 7 else "b"}" x="150" y="{y - 10}" width="{20 * rank}" height="20"/>')
        parts.append(f'<text x="{158 + 20 * rank}" y="{y + 5}">{rank}</text>')
    return page(600, 45 + 34 * len(found), "Six copies of a column come before the one that adds something", parts)


def pictures():
    """The text of each picture, by its name."""
    found, taken = areas(), ranks()
    print(found, taken)
    return {"figures/relief_labels.svg": draw_areas(found), "figures/relief_redundancy.svg": draw_ranks(taken)}


if __name__ == "__main__":
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, "utf-8")

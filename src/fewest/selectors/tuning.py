"""Which parameters, and how many features: what errs least on rows that were not used to choose."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from fewest.data.source import Source
from fewest.selectors.size import SizeChoice, choose_size
from fewest.statistics.folded import Folded, LeftOut


def tune(
    selector: Any, source: Source, folded: Folded[Any] | LeftOut[Any], size: int | None
) -> tuple[Any, SizeChoice, tuple[str, ...]]:
    """The selector with the best of its alternatives, the size chosen with it, and what there is to say about both.

    size : how many features are asked for; None where that is to be chosen too

    Every alternative selects anew inside each fold. The least error decides; of equals the first.
    """
    alternatives = selector.alternatives()
    if not alternatives:
        choice = choose_size(selector, source, folded, size)
        return selector, choice, (choice.note,)
    best: tuple[float, Any, SizeChoice, dict[str, Any]] | None = None
    for parameters in alternatives:
        tried = clone(selector).set_params(**parameters)
        choice = choose_size(tried, source, folded, size)
        error = min((error for error, _ in choice.curve.values()), default=1.0)
        if best is None or error < best[0]:
            best = error, tried, choice, parameters
    assert best is not None
    error, tuned, choice, parameters = best
    chosen = ", ".join(f"{name} = {value:g}" for name, value in parameters.items())
    note = (
        f"{chosen} chosen by {folded.n_folds}-fold cross-validation among {len(alternatives)} "
        f"(least error {100 * error:.2g} %)"
    )
    return tuned, choice, (note, choice.note) if size is None else (note,)

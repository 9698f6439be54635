"""Choose the number of features, and parameters, by cross-validation that selects anew inside each fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from fewest.arrays import Floats, Indices
from fewest.data.source import Source
from fewest.display.formatting import percent
from fewest.display.progress import step_bar
from fewest.errors import InvalidInput, TooManyRows
from fewest.metrics import ErrorRate, Metric, default_metric, to_metric
from fewest.objectives.subset_sizes import candidate_sizes
from fewest.parameters import is_whole
from fewest.protocols import Evidence
from fewest.selectors.estimators.named_estimators import to_estimator
from fewest.selectors.estimators.panel import EstimatorMember, Member, NeighboursMember, SVMMember, fold_losses
from fewest.selectors.sizes.size_rules import TIE, index_of_least, one_standard_error_rule, stable_least, standard_error
from fewest.statistics.content_folds import group_codes, spread_groups, spread_rows
from fewest.statistics.row_hashes import HashedRows, hash_rows
from fewest.statistics.splits import Assignment, Folded, GivenFolds, LeftOut, NumberedFolds, split_rows

if TYPE_CHECKING:
    from fewest.selectors.selector import Selector

#: Enough rows to know an error to about half a percent. The time of an SVM with a kernel grows with the square of the
#: number of rows, so it gets fewer.
_MAX_ROWS, _MAX_ROWS_WITH_KERNEL = 5000, 2000
#: Up to this number of rows folds are drawn this often: with few rows it matters how they fall.
_FEW_ROWS, _REPEATS = 500, 2

_RULES = {
    "1se": "the fewest within one standard error of the least",
    "min": "the least error",
    "stable": "the least error where errors are steady",
}

#: Statistics of the training rows of every fold.
Training = Folded[Evidence] | LeftOut[Evidence]


@dataclass(frozen=True)
class SizeChoice:
    """The size chosen, and the mean loss with its standard error at every size that was tried.

    least, spread : the least mean loss, by which parameters and methods are compared, and its standard error
    metric : what was measured
    """

    size: int
    curve: dict[int, tuple[float, float]]
    note: str
    least: float
    spread: float
    metric: Metric


@dataclass(frozen=True)
class Tuned:
    """The selector with the best parameters, which they are, the size chosen with them, and notes on both."""

    selector: Selector
    choice: SizeChoice
    notes: tuple[str, ...]
    parameters: Mapping[str, float]


def draw_folds(selector: Selector, source: Source, groups: object, n_repeats: int | None = None) -> list[Assignment]:
    """Return which fold each row is in, once or, where rows are few, in several ways.

    A count of folds is drawn by the contents of the rows; cv splits them otherwise.

    groups : one value a row, of which equal ones stay together; None where rows are on their own
    n_repeats : how often folds are drawn; None: by the number of rows
    """
    is_linear = to_estimator(selector.estimator) is not None or selector._evaluation_degree() == 1
    max_rows = _MAX_ROWS if is_linear else _MAX_ROWS_WITH_KERNEL
    seed, cv = selector.random_state, selector.cv
    rows: HashedRows | None = None
    with suppress(TooManyRows):
        rows = hash_rows(source)
    if rows is None or len(rows.codes) == 0:
        # Without rows there is nothing to split; the check of the classes says so.
        n_folds = int(cv) if is_whole(cv) else 2
        return [NumberedFolds(n_folds, seed, max_rows)]
    n_rows = int(np.count_nonzero(rows.counts))
    if n_repeats is None:
        n_repeats = _REPEATS if n_rows <= _FEW_ROWS else 1
    positions = _positions(rows, seed, max_rows)
    drawn = [_folds(rows, cv, _seed(seed, repeat), groups) for repeat in range(n_repeats if is_whole(cv) else 1)]
    return [_by_number(rows, folds, n_folds, positions) for folds, n_folds in drawn]


def group_splits(selector: Selector, source: Source, groups: object) -> list[tuple[Indices, Indices]]:
    """Return training and test rows of the selector's folds, groups of rows together; rows are counted as they come."""
    rows = hash_rows(source)
    folds, n_folds = _folds(rows, selector.cv, selector.random_state, groups)
    return [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(n_folds)]


def _folds(rows: HashedRows, cv: object, seed: int, groups: object) -> tuple[Indices, int]:
    """The fold of each row, and the number of folds."""
    of_rows = None if groups is None else group_codes(groups, rows.row_numbers)
    if not is_whole(cv):
        return split_rows(cv, rows.codes, of_rows)
    if of_rows is not None:
        return spread_groups(rows, of_rows, int(cv), seed), int(cv)
    return spread_rows(rows, int(cv), seed), int(cv)


def _seed(seed: int, repeat: int) -> int:
    return int(seed) + (repeat << 32)


def _positions(rows: HashedRows, seed: int, max_rows: int) -> Indices:
    """The position of each row of the source among those that evaluate, or -1: of more than max_rows, even ones."""
    # Not the order in which rows are given to the folds in turn: every fifth row of that is in one fold.
    order = rows.order(_seed(seed, -1))
    if len(order) > max_rows:
        order = order[((np.arange(max_rows) + 0.5) * (len(order) / max_rows)).astype(np.intp)]
    positions = np.full(rows.row_numbers.max() + 1, -1, dtype=np.intp)
    positions[rows.row_numbers[order]] = np.arange(len(order))
    return positions


def _by_number(rows: HashedRows, folds: Indices, n_folds: int, positions: Indices) -> GivenFolds:
    fold_of_row = np.zeros(len(positions), dtype=np.min_scalar_type(n_folds))
    fold_of_row[rows.row_numbers] = folds
    return GivenFolds(fold_of_row, n_folds, positions, rows.class_ranks)


def tune(selector: Selector, source: Source, training: Sequence[Training], size: int | Sequence[int] | None) -> Tuned:
    """Choose the parameters among the selector's alternatives by the least loss; of equals the first.

    training : for each way in which folds were drawn
    size : the number of features asked for, or the numbers to evaluate; None where it is chosen too
    """
    alternatives = selector._alternatives()
    best: tuple[SizeChoice, Mapping[str, float], Mapping[str, float]] | None = None
    for parameters in alternatives or [{}]:
        tried = clone(selector).set_params(**parameters)
        tried._space = selector._space
        if hasattr(selector, "feature_names_in_"):
            tried.feature_names_in_ = selector.feature_names_in_  # errors name columns
        threshold: Mapping[str, float] = {}
        if selector._seeks_threshold() and size is None:
            choice, threshold = choose_threshold(tried, source, training)
        elif selector._chooses_size() and size is None and alternatives:
            criterion, search = tried.sentence()
            whole = tried._bind(criterion, training[0].whole())
            n_taken = len(selector._space.run(search, whole, None).indices)
            choice = _evaluate_thresholds(tried, source, training, {n_taken: search.beta})
        else:
            choice = choose_size(tried, source, training, size)
        if best is None or choice.least < best[0].least:
            best = choice, parameters, threshold
    assert best is not None
    choice, parameters, threshold = best
    tuned = clone(selector).set_params(**parameters, **threshold) if alternatives or threshold else selector
    notes = (choice.note,) if size is None or not alternatives else ()
    if alternatives:
        chosen = ", ".join(f"{name} = {value:g}" for name, value in parameters.items())
        how = f"{training[0].n_folds}-fold cross-validation among {len(alternatives)}"
        notes = (f"{chosen} chosen by {how} (best {choice.metric.form.phrase(choice.least)})", *notes)
    return Tuned(tuned, choice, notes, {**parameters, **threshold})


def choose_threshold(
    selector: Selector, source: Source, training: Sequence[Training]
) -> tuple[SizeChoice, dict[str, float]]:
    """Choose beta, between those at which columns enter on all rows, by the error of what passes it in every fold."""
    (criterion, search), space = selector.sentence(), selector._space
    limit = space.largest_size(selector.max_features)
    whole = selector._bind(criterion, training[0].whole())
    betas = _thresholds(space.run(search, whole, limit).column_scores, limit)
    beta = betas[(choice := _evaluate_thresholds(selector, source, training, betas)).size]
    return replace(choice, note=f"beta = {beta:.4g}: {choice.note}"), {"beta": beta}


def _evaluate_thresholds(
    selector: Selector, source: Source, training: Sequence[Training], betas: Mapping[int, float | str]
) -> SizeChoice:
    """Evaluate what the search takes in every fold at thresholds, each with the number that it takes of all rows."""
    (criterion, search), space = selector.sentence(), selector._space
    paths: list[list[dict[int, tuple[int, ...]]]] = []
    for folded in training:
        paths.append([])
        for k in range(folded.n_folds):
            objective = selector._bind(criterion, folded.without(k))
            # Where nothing passes, the best column stands for what is not there to be evaluated.
            plain = replace(search, beta=None)  # type: ignore[type-var]
            first = space.on_source(space.run(plain, objective, space.least_size)).indices
            at = {size: replace(search, beta=beta) for size, beta in betas.items()}  # type: ignore[type-var]
            found = {size: space.on_source(space.run(one, objective, None)) for size, one in at.items()}
            paths[-1].append({size: selection.indices or first for size, selection in found.items()})
    return _evaluate_paths(selector, source, training, paths, list(betas))


def _thresholds(scores: Floats | None, limit: int) -> dict[int, float]:
    """Return the threshold in the middle between two steps for each of some sizes of what passes, ascending."""
    assert scores is not None
    steps, counts = np.unique(-scores[~np.isnan(scores)], return_counts=True)
    if not len(steps):
        raise InvalidInput("No column has a score, so beta='auto' has no choice. Are all values missing?")
    steps, ends = -steps, np.cumsum(counts)
    below = np.append(steps[1:], steps[-1:] - max(abs(steps[0]), abs(steps[-1]), float(np.finfo(float).tiny)))
    indices = np.searchsorted(ends, candidate_sizes(limit), side="right") - 1
    chosen = np.unique(np.maximum(indices, 0))
    return {int(ends[i]): float(steps[i] / 2 + below[i] / 2) for i in chosen}


def choose_size(
    selector: Selector, source: Source, training: Sequence[Training], only: int | Sequence[int] | None = None
) -> SizeChoice:
    """Select on the training rows of each fold, evaluate every size on the test rows, and apply the selector's rule.

    only : evaluate this size, or these, and no other
    """
    space = selector._space
    asked = [only] if isinstance(only, int) else only
    # Where columns are forbidden or grouped there may be fewer than asked for.
    requested = None if asked is None else sorted({min(size, space.n_units) for size in asked})
    criterion, search = (selector if requested is None else selector._with_sizes(requested)).sentence()
    limit = max(requested) if requested else space.largest_size(selector.max_features)
    n_folds = sum(folded.n_folds for folded in training)
    # A search that removes columns passes the largest size first.
    last = min(requested or [space.least_size]) if getattr(search, "path_ends_with_least", False) else limit
    paths: list[list[Mapping[int, tuple[int, ...]]]] = []
    with step_bar("selecting in folds", n_folds) as advance:
        for folded in training:
            paths.append([])
            for k in range(folded.n_folds):
                found = space.run(search, selector._bind(criterion, folded.without(k)), last)
                paths[-1].append(space.source_path(found, limit))
                advance()
    # Where errors are steady shows only from all of them.
    tried = range(1, limit + 1) if selector.rule == "stable" else sorted({*candidate_sizes(limit), space.least_size})
    sizes = [size for size in (requested or tried) if all(size in path for of_folds in paths for path in of_folds)]
    return _evaluate_paths(selector, source, training, paths, sizes)


def _evaluate_paths(
    selector: Selector, source: Source, training: Sequence[Training],
    paths: Sequence[Sequence[Mapping[int, tuple[int, ...]]]], sizes: list[int],
) -> SizeChoice:  # fmt: skip
    """Evaluate what was selected in each fold at each size, and apply the selector's rule."""
    n_folds = sum(folded.n_folds for folded in training)
    metric = _metric(selector, training[0])
    members = _panel(selector)
    parts = []
    with step_bar("evaluating sizes in folds", n_folds) as advance:
        for folded, of_folds in zip(training, paths, strict=True):
            subsets = [[path[size] for size in sizes] for path in of_folds]
            parts.append(fold_losses(members, metric, source, folded.assignment, folded.n_rows, subsets, advance))
    losses = np.concatenate(parts, axis=1)
    return _choice(selector, members, metric, sizes, losses, training)


def _panel(selector: Selector) -> list[Member]:
    """The classifiers that evaluate; the first decides, unless another is better by more than one standard error."""
    estimator = to_estimator(selector.estimator)
    if estimator is not None:
        return [EstimatorMember(estimator, selector.estimator if isinstance(selector.estimator, str) else None)]
    return [SVMMember(selector._evaluation_degree()), NeighboursMember()]


def _metric(selector: Selector, folded: Training) -> Metric:
    if selector.scoring is not None:
        return to_metric(selector.scoring)
    return default_metric(list(folded.whole().counts_by_class().values()))


def _choice(
    selector: Selector, members: Sequence[Member], metric: Metric, sizes: list[int], losses: Floats,
    training: Sequence[Training],
) -> SizeChoice:  # fmt: skip
    """Apply the selector's rule to the losses of the member that decides."""
    n_folds = max(1, losses.shape[1] // len(training))
    winner = first_unless_better([_least(own, n_folds) for own in losses])
    own = losses[winner]
    mean, spread = own.mean(axis=0), standard_error(own, n_folds)
    best = index_of_least(mean)
    at = _index_by_rule(own, selector.rule, n_folds)
    curve = dict(zip(sizes, zip(mean.tolist(), spread.tolist(), strict=True), strict=True))
    counts = list(training[0].whole().counts_by_class().values())
    note = _describe(selector, members, winner, metric, counts, len(training), n_folds)
    written = metric.form.phrase(float(mean[at]))
    note = f"{sizes[at]} chosen by {note}: {written} ± {_uncertainty(metric, float(spread[at]))} "
    least = f"{_RULES[selector.rule]}, {metric.form.text(float(mean[best]))} at {sizes[best]}"
    note += f"({'the best of all sizes tried' if at == best else least})"
    chance = _chance(metric, counts)
    if mean[at] + spread[at] >= chance:
        what = "always predicting the largest class" if isinstance(metric, ErrorRate) else "guessing"
        note += f"; that is no better than {what} ({metric.form.text(chance)})"
    else:
        note += "; optimistic, since it chose the size: compare gives an honest one"
    return SizeChoice(sizes[at], curve, note, float(mean[best]), float(spread[best]), metric)


def first_unless_better(leasts: Sequence[tuple[float, float]]) -> int:
    """Return the index of the first, unless a later one is better than it by more than one standard error.

    leasts : the least loss of each and its standard error
    """
    best = 0
    for i, (loss, _) in enumerate(leasts):
        if loss < leasts[best][0] - leasts[best][1] - TIE:
            best = i
    return best


def _least(losses: Floats, n_folds: int) -> tuple[float, float]:
    """The least mean loss over the sizes, and its standard error."""
    mean = losses.mean(axis=0)
    best = index_of_least(mean)
    return float(mean[best]), float(standard_error(losses, n_folds)[best])


def _describe(
    selector: Selector, members: Sequence[Member], winner: int, metric: Metric, counts: Sequence[int], n_repeats: int,
    n_folds: int,
) -> str:  # fmt: skip
    times = f", {n_repeats} times," if n_repeats > 1 else ""
    others = [str(member) for i, member in enumerate(members) if i != winner]
    better = f" (better here than {' and '.join(others)})" if winner > 0 else ""
    reason = ""
    if selector.scoring is None and not isinstance(metric, ErrorRate):
        share = percent(min(n for n in counts if n > 0) / sum(counts))
        reason = f", by {metric.label}, since the smallest class has {share} of the rows"
    return f"{n_folds}-fold cross-validation{times} of {members[winner]}{better}{reason}"


def _uncertainty(metric: Metric, spread: float) -> str:
    return f"{100 * spread:.1g}" if metric.form.is_percentage else f"{spread:.1g}"


def _chance(metric: Metric, counts: Sequence[int]) -> float:
    """The loss of guessing; of many rows by their shares in a thousand."""
    total = sum(counts)
    if isinstance(metric, ErrorRate):
        return 1.0 - max(counts) / total
    shown = [n if total <= 10_000 else max(1, round(10_000 * n / total)) for n in counts if n > 0]
    return metric.chance(np.repeat(np.arange(len(shown)), shown).astype(np.int32))


def _index_by_rule(errors: Floats, rule: str, n_folds: int) -> int:
    if rule == "1se":
        return one_standard_error_rule(errors, n_folds)
    mean = errors.mean(axis=0)
    return stable_least(mean.tolist()) if rule == "stable" else index_of_least(mean)

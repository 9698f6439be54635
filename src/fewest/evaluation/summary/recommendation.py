"""The recommendation: what the procedure chooses on all rows, with the error of the procedure over the splits.

How the report shows it, and what it is compared with: all features, guessing, a leak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from fewest.arrays import Floats
from fewest.evaluation.procedure import Pair, Procedure, Run, all_features_losses
from fewest.evaluation.results import MethodResult, TableResult
from fewest.evaluation.summary.text import (
    answer,
    choice_sentence,
    edge_note,
    fixed_size_note,
    leak_sentence,
    no_answer,
    stability_note,
)
from fewest.evaluation.testing.paired_tests import TIE, corrected_t
from fewest.summary import (
    AllFeatures,
    ClassRecall,
    Confusion,
    Estimate,
    Leak,
    RecommendedFeature,
    RecommendedSubset,
    SplitChoices,
    Substitute,
    Substitutes,
)

_MAX_FEATURES_IN_MAP = 30
_LEVEL = 0.05
#: Features that were chosen in a smaller share of the splits are not stable.
_STABLE_SHARE = 0.5


@dataclass(frozen=True)
class Recommendation:
    """What the procedure chooses on all rows, and its nested error: the one error that is shown for it.

    pair, size_index : the method, the classifier and the index of the size among those tried
    columns : the features of that size, selected on all rows
    estimate : the nested error of the procedure
    chance : the no-information rate
    """

    procedure: Procedure
    pair: Pair
    size_index: int
    columns: tuple[int, ...]
    run: Run
    estimate: Estimate
    chance: float

    @property
    def result(self) -> MethodResult:
        """What the recommended method did."""
        return self.pair.method

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.pair.method.name

    @property
    def classifier(self) -> str:
        """The name of the classifier."""
        return self.pair.classifier

    @property
    def beats_guessing(self) -> bool:
        """Whether the whole 95 % interval of the error, that of the corrected t-test, lies below chance.

        Where it does not, the features are no answer.
        """
        return self.estimate.high < self.chance

    @cached_property
    def leaked_run(self) -> Run | None:
        """The same procedure with features selected on all rows before splitting; None where that was not measured."""
        is_known = all(pair.method.has_leak for pair in self.procedure.pairs)
        return self.procedure.run("leaked") if is_known else None


def recommend(table: TableResult, classifiers: Sequence[str]) -> Recommendation | None:
    """Run the procedure in every split and on all rows; None where no method was evaluated."""
    procedure = Procedure.of(table, classifiers)
    if not procedure.pairs:
        return None
    pair, size_index = procedure.on_all_rows()
    assert pair.method.whole is not None
    run = procedure.run()
    columns = tuple(pair.method.whole["path"][size_index])
    return Recommendation(procedure, pair, size_index, columns, run, table.estimate(run.losses), table.chance_error)


def recommended_subset(
    table: TableResult, best: Recommendation | None, everything: AllFeatures | None, *, is_size_fixed: bool
) -> RecommendedSubset | None:
    """What is recommended, in words and numbers; no features where they do not beat guessing.

    is_size_fixed : the size was requested, not chosen
    """
    if best is None or best.result.whole is None:
        return None
    metric, estimate, views = table.metric.form, best.estimate, table.views
    n_classes = len(table.classes)
    choice = choice_sentence(
        best.method, best.classifier, len(best.procedure.pairs), is_inside=best.procedure.is_choosing_inside
    )
    shared = {**asdict(estimate), "method": best.method, "classifier": best.classifier, "choice": choice}
    if not best.beats_guessing:
        return RecommendedSubset(
            **shared, size=0, sentence=no_answer(table.n_columns, estimate, table.chance_error, everything, metric),
            certificate=None, features=(), beats_guessing=False,
        )  # fmt: skip
    # An order is shown as such, not as scores.
    scores = best.result.whole["scores"] if best.result.has_scores else {}
    shares = _frequencies(table, best)
    instead = views.substitutes if views else Substitutes(None, {})
    names = [table.feature_names[column] for column in best.columns]
    features = []
    for name, column in zip(names, best.columns, strict=True):
        own = instead.by_column.get(str(column), Substitute())
        share = None if shares is None else float(shares[column])
        score = scores.get(str(column))
        features.append(RecommendedFeature(name, score, share, own.error_without, own.swap, own.similar))
    stable = [one.name for one in features if one.frequency is not None and one.frequency >= _STABLE_SHARE]
    notes = [
        None if shares is None else stability_note(names, stable),
        fixed_size_note(len(best.columns), table.sizes)
        if is_size_fixed
        else edge_note(len(best.columns), best.size_index, table.sizes, table.n_columns),
    ]
    return RecommendedSubset(
        **shared, size=len(best.columns), features=features,
        sentence=answer(len(best.columns), table.n_columns, n_classes, estimate, everything, metric),
        certificate=views.certificate if views else None, notes=[note for note in notes if note], stable=stable,
        fold_error=instead.fold_error, replacement=instead.replacement,
    )  # fmt: skip


def all_features(table: TableResult, best: Recommendation | None, classifiers: Sequence[str]) -> AllFeatures | None:
    """The error without selection, and whether it differs from that of the recommendation."""
    losses = all_features_losses(table, classifiers)
    if losses is None or best is None:
        return None
    difference, p = _test(table, losses, best.run.losses)
    is_clear = p is not None and p < _LEVEL
    verdict: Literal["better", "as well", "worse"] = (
        "as well" if not is_clear else "better" if difference < 0 else "worse"
    )
    return AllFeatures(**asdict(table.estimate(losses)), difference=difference, verdict=verdict, p=p)


def confusion_of(table: TableResult, best: Recommendation | None) -> Confusion | None:
    """The predictions of the recommendation's procedure, all splits together."""
    if best is None:
        return None
    counts = best.run.confusion
    totals = counts.sum(axis=1)
    recalls = np.divide(np.diagonal(counts), totals, out=np.zeros(len(totals)), where=totals > 0)
    return Confusion(
        counts.tolist(),
        [ClassRecall(name, float(recall)) for name, recall in zip(table.classes, recalls, strict=True)],
    )


def split_choices(table: TableResult, best: Recommendation | None) -> SplitChoices | None:
    """Which features were chosen in which split by the recommendation's procedure."""
    if best is None or len(best.run.subsets) < 2:
        return None
    subsets = [set(subset) for subset in best.run.subsets]
    shares = _frequencies(table, best)
    assert shares is not None
    order = np.argsort(-shares, kind="stable")
    shown = [column for column in order[:_MAX_FEATURES_IN_MAP].tolist() if shares[column] > 0]
    cells = [[int(column in subset) for subset in subsets] for column in shown]
    return SplitChoices([table.feature_names[column] for column in shown], cells)


def leak_of(table: TableResult, best: Recommendation | None) -> Leak | None:
    """What the same procedure would have promised with features selected before splitting."""
    run = best.leaked_run if best is not None else None
    if best is None or run is None:
        return None
    leaked = float(run.losses.mean())
    optimism, p = _test(table, best.run.losses, run.losses)
    is_noise = optimism <= TIE or (p is not None and p >= _LEVEL)
    sentence = leak_sentence(leaked, best.estimate.error, table.metric.form, is_noise=is_noise)
    return Leak(leaked, best.estimate.error, sentence, is_noise)


def _frequencies(table: TableResult, best: Recommendation) -> Floats | None:
    """By column, the share of the splits in which the procedure chose it; None with a single split."""
    subsets = best.run.subsets
    if len(subsets) < 2:
        return None
    columns = np.array([column for subset in subsets for column in subset], dtype=np.intp)
    shares: Floats = np.bincount(columns, minlength=table.n_columns) / len(subsets)
    return shares


def _test(table: TableResult, first: Floats, second: Floats) -> tuple[float, float | None]:
    """The mean of the first losses less the second, and the p-value of the corrected t; None with a single split."""
    if len(first) < 2:
        return float((first - second).mean()), None
    test = corrected_t(first, second, table.n_train, table.n_test)
    return test.mean_difference, test.p_value

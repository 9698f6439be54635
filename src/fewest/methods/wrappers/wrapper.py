"""The features with which a classifier errs least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from fewest.formatting import percent
from fewest.methods.wrappers.cross_validated_error import CrossValidatedError
from fewest.parameters import check_choice
from fewest.protocols import AnySearch, Sentence
from fewest.searches.greedy_backward import GreedyBackward
from fewest.searches.greedy_floating import GreedyFloating
from fewest.searches.greedy_forward import GreedyForward
from fewest.searches.stopping_rule import StoppingRule
from fewest.selection import Selection
from fewest.selectors.evaluator import StandardizedSVM
from fewest.selectors.selector import Selector

DIRECTIONS = ("forward", "backward", "floating")


@dataclass(eq=False, repr=False)
class Wrapper(Selector):
    """The features with which a classifier errs least, found one step at a time (Peng, Long and Ding, Sec. 3.2).

    Every set on the way is judged by cross-validation of the classifier on these features alone.

    - "forward": take the best one after the other, as long as the error does not grow; return the fewest of those taken
      that reach the least error. Errors of 10, 8, 4, 4, 4, 7 give three features.
    - "backward": drop one after the other, as long as the error does not grow. Half the square of the columns in sets.
    - "floating": forward, and after each step drop features as long as that beats the best set known of that size.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Whose errors are counted; None is a linear support vector machine. Cloned for every fit.
    direction : "forward", "backward" or "floating", default="forward"
    n_features : int, float, "auto" or None, default=None
        None and "auto": the rule above decides. A number, or a share of the columns: exactly that many.
    cv : int, splitter or iterable of (train, test) rows, default=5
        The folds. Those of a number come from the rows' values and random_state, not from the order of the rows.
    max_features : int, default=50
        The most that "forward" and "floating" go up to where the rule decides.
    n_jobs : int or None, default=None
        How many sets are judged at once, as joblib has it. Changes no result.
    random_state : int, default=0
        Seeds the folds, and an estimator that draws at random and has no seed.
    verbose : bool, default=False
        Show progress.

    `scale` and `rule` have no effect: scaling is the estimator's own, and the rule is the one above.

    Attributes
    ----------
    errors_ : dict from size to error
        The cross-validated error of the best set of each size visited, `selection_.path`.
    scores_ : ndarray of shape (n_features_in_,)
        What a column spared when it was taken ("backward", "floating": what would be lost without it), as a share of
        the errors of always saying the largest class; NaN for those not chosen.
    ranking_, support_, n_features_, n_features_in_, feature_names_in_, selection_
        As in every selector; `selection_.value` is the error reached.

    Notes
    -----
    The error shown chose the features and is lower than that on new rows: put the wrapper into a pipeline and
    cross-validate that. Ties go to the lowest column. Keeps the rows. A whole weight is so many rows; other weights
    count in the errors, and in training where the estimator takes weights.

    Examples
    --------
    >>> from fewest import Wrapper
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> data = load_wine(as_frame=True)
    >>> chosen = Wrapper(GaussianNB()).fit(data.data, data.target)
    >>> len(chosen.selection_) < 13
    True
    """

    name: ClassVar[str] = "wrapper"
    summary: ClassVar[str] = "features with which a classifier errs least, forward, backward or floating"
    takes: ClassVar[str] = "numbers, text and categories, gaps allowed"
    proves: ClassVar[str] = "nothing: greedy"
    cost: ClassVar[str] = "one read, the rows, and five fits for every set tried"

    estimator: Any = None
    direction: str = "forward"
    n_jobs: int | None = None

    def sentence(self) -> Sentence:
        check_choice("direction", self.direction, DIRECTIONS)
        stop = StoppingRule(self.max_features, enough=1.0)
        searches: dict[str, AnySearch] = {
            "forward": GreedyForward(lazy=False, stop=stop),
            "backward": GreedyBackward(),
            "floating": GreedyFloating(stop),
        }
        criterion = CrossValidatedError(self.estimator, self.cv, self.random_state, self.n_jobs, self.verbose)
        return criterion, searches[self.direction]

    def chooses_size(self) -> bool:
        return self.n_features is None or self.n_features == "auto"

    def with_sizes(self, sizes: Sequence[int]) -> Self:
        # Backward, the largest sets are met first.
        last = min(sizes) if self.direction == "backward" else max(sizes)
        own: Self = super().with_sizes(sizes).set_params(n_features=last)
        return own

    def finalize(self, selection: Selection, objective: Any) -> Selection:
        return replace(selection, value=objective.error(selection.indices), sense="min", is_optimal=False)

    def fit_notes(self, selection: Selection, objective: Any) -> tuple[str, ...]:
        judge = str(objective.judge) if isinstance(objective.judge, StandardizedSVM) else type(objective.judge).__name__
        reached, by_guessing = objective.error(selection.indices), objective.error(())
        note = (
            f"error {percent(reached)} in {objective.n_folds}-fold cross-validation of {judge}; it chose the "
            "features, so expect more on new rows"
        )
        if reached >= by_guessing:
            note += f"; that is no better than always saying the largest class ({percent(by_guessing)})"
        notes = [note]
        if objective.rare_classes:
            rare = objective.rare_classes
            shown = ", ".join(map(repr, rare[:5])) + (", …" if len(rare) > 5 else "")
            notes.append(f"{len(rare)} class(es) have fewer rows than there are folds, and are hardly judged: {shown}")
        return tuple(notes)

    def store_fitted(self, objective: Any, selection: Selection) -> None:
        self.errors_ = {size: objective.error(columns) for size, columns in selection.path.items()}

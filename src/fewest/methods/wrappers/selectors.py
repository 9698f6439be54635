"""Selectors with a classifier inside: Wrapper, ForestImportance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from fewest.data.retained import retain
from fewest.data.source import Source
from fewest.display.formatting import first_names, percent
from fewest.methods.wrappers.cross_validated_error import CrossValidatedError, CrossValidatedErrorObjective
from fewest.methods.wrappers.forest_gain import ForestGain
from fewest.parameters import check_choice
from fewest.protocols import AnyCriterion, AnySearch, Sentence
from fewest.searches.exhaustive import Exhaustive
from fewest.searches.greedy import GreedyBackward, GreedyFloating, GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.stopping_rule import StoppingRule
from fewest.selection import Selection
from fewest.selectors.estimators.evaluator import Classifier, StandardizedSVM
from fewest.selectors.row_selector import RowSelector
from fewest.selectors.sizes.size import group_splits

DIRECTIONS = ("forward", "backward", "floating", "exhaustive")


@dataclass(eq=False, repr=False)
class Wrapper(RowSelector):
    """Select the features with which a classifier has the least cross-validated error, by greedy search.

    - "forward": add the best feature as long as the error does not grow; return the fewest of them at the least error.
    - "backward": remove one feature after the other as long as the error does not grow.
    - "floating": forward; after each step remove features as long as that beats the best known subset of that size.
    - "exhaustive": try every subset, of n_features or of any size, and prove the best; for few columns.

    Parameters
    ----------
    estimator : classifier, str or None, default=None
        The classifier whose errors are counted, or its name, such as "nb" or "rbf-svm(C=10)", on standardized columns;
        None is a linear SVM. Cloned for every fit.
    direction : {"forward", "backward", "floating", "exhaustive"}, default="forward"
        The search; "exhaustive" refuses more than a million subsets.
    n_jobs : int or None, default=None
        The number of subsets evaluated at once, as in joblib. It changes no result.
    n_features : int, float, "auto" or None, default=None
        The number of features, or their share of the columns; None and "auto" leave it to the search.
    max_features : int, default=50
        The largest size of "forward" and "floating" where the search decides.

    Attributes
    ----------
    errors_ : dict
        The cross-validated error of the best subset of each size visited, `selection_.path`.
    scores_ : ndarray of shape (n_features_in_,)
        The share of the majority-class errors that a column avoided when it was added ("backward", "floating": that
        its removal would cause); NaN for columns not selected.

    See Also
    --------
    TwoStage : Candidates by a filter first.

    Notes
    -----
    `selection_.value` is the error reached. It chose the features and is lower than that on new rows: put the wrapper
    into a pipeline and cross-validate that. Forward fits `cv` classifiers a column and step, backward for half the
    square of the columns. Ties go to the lowest column. `scale` and `rule` have no effect.

    References
    ----------
    Peng, Long, Ding, 2005. Feature Selection Based on Mutual Information: Criteria of Max-Dependency, Max-Relevance,
    and Min-Redundancy (Sec. 3.2). https://doi.org/10.1109/TPAMI.2005.159

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
    _scale_is_inert: ClassVar[str] = "the classifier sees the columns as they are"
    summary: ClassVar[str] = "features with which a classifier errs least, forward, backward or floating"
    formula: ClassVar[str] = "the cross-validated error of a classifier on S"
    takes: ClassVar[str] = "numbers and text, missing values allowed"
    proves: ClassVar[str] = "the optimum if exhaustive"
    cost: ClassVar[str] = "one read, the rows, and five fits for every subset tried"

    estimator: Classifier | str | None = None
    direction: str = "forward"
    n_jobs: int | None = None

    def sentence(self) -> Sentence:
        check_choice("direction", self.direction, DIRECTIONS)
        stop = StoppingRule(self.max_features, enough=1.0)
        searches: dict[str, AnySearch] = {
            "forward": GreedyForward(lazy=False, stop=stop),
            "backward": GreedyBackward(),
            "floating": GreedyFloating(stop),
            "exhaustive": Exhaustive(beta=0.0) if self._chooses_size() else Exhaustive(path=True),
        }
        criterion = CrossValidatedError(self.estimator, self.cv, self.random_state, self.n_jobs, self.verbose)
        return criterion, searches[self.direction]

    def _chooses_size(self) -> bool:
        return self.n_features is None or self.n_features == "auto"

    def _with_sizes(self, sizes: Sequence[int]) -> Self:
        last = min(sizes) if self.direction == "backward" else max(sizes)
        own: Self = super()._with_sizes(sizes).set_params(n_features=last)
        return own

    def _with_groups(self, criterion: AnyCriterion, source: Source, groups: object) -> AnyCriterion:
        if groups is None:
            return criterion
        assert isinstance(criterion, CrossValidatedError)
        return replace(criterion, cv=group_splits(self, retain(source, self._stream_bytes), groups))

    def _objective_words(self) -> str:
        named = "a linear SVM" if self.estimator is None else self.estimator
        return f"the cross-validated error of {named if isinstance(named, str) else type(named).__name__}"

    def _finalize(self, selection: Selection, objective: CrossValidatedErrorObjective) -> Selection:
        error, is_best = objective.error(selection.indices), self.direction == "exhaustive"
        bound = error if is_best else None
        # The search compares shares of the majority-class errors.
        tolerance = None if selection.tolerance is None else selection.tolerance * objective.error(())
        return replace(
            selection, value=error, bound=bound, sense="min", is_optimal=is_best, beta=None, tolerance=tolerance
        )

    def _fit_notes(self, selection: Selection, objective: CrossValidatedErrorObjective) -> tuple[str, ...]:
        model = objective.estimator
        name = str(model) if isinstance(model, StandardizedSVM) else type(model).__name__
        name = self.estimator if isinstance(self.estimator, str) else name
        reached, of_majority = objective.error(selection.indices), objective.error(())
        note = f"error {percent(reached)} in {objective.n_folds}-fold cross-validation of {name}; it chose the "
        note += "features, so expect more on new rows"
        if reached >= of_majority:
            note += f"; that is no better than always predicting the largest class ({percent(of_majority)})"
        if not (rare := objective.rare_classes):
            return (note,)
        shown = first_names(rare)
        return note, f"{len(rare)} class(es) have fewer rows than there are folds, and are hardly evaluated: {shown}"

    def _store_fitted(self, objective: CrossValidatedErrorObjective, selection: Selection) -> None:
        self.errors_ = {size: objective.error(columns) for size, columns in selection.path.items()}


@dataclass(eq=False, repr=False)
class ForestImportance(RowSelector):
    """Select the features with the largest mean decrease in impurity in a random forest.

    Parameters
    ----------
    n_trees : int, default=100
        The number of trees.

    See Also
    --------
    StumpBoosting : Boosted trees of one split.

    Notes
    -----
    scikit-learn's forest, on rows and columns in the order of their contents: no other order matters. Columns with many
    different values gain more than they should, and redundant features share a gain. `scale` has no effect.

    References
    ----------
    Breiman, 2001. Random Forests. https://doi.org/10.1023/A:1010933404324

    Examples
    --------
    >>> from fewest import ForestImportance
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sorted(ForestImportance(n_features=2).fit(X, y).selection_.indices)
    [2, 3]
    """

    name: ClassVar[str] = "forest-importance"
    _scale_is_inert: ClassVar[str] = "trees do not depend on the scale"
    summary: ClassVar[str] = "mean decrease in impurity by each feature in a random forest"
    formula: ClassVar[str] = "mean over trees of the decrease in Gini impurity at splits of the column"
    takes: ClassVar[str] = "numbers and text, missing values allowed"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read, the rows, and a forest of 100 trees"

    n_trees: int = 100

    def sentence(self) -> Sentence:
        return ForestGain(self.n_trees, self.random_state), IndividualRanking()

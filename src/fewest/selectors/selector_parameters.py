"""The parameters of selectors: their checks, and reading them from NAME=VALUE."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fewest.errors import FewestWarning, InvalidParameter, did_you_mean
from fewest.metrics import to_metric
from fewest.parameters import check_choice, check_count, check_flag, is_number, is_whole, wrong
from fewest.protocols import AnyCriterion, AnySearch, Objective, Sentence
from fewest.selection import Scalar, Selection
from fewest.selectors.shared_parameters import SharedParameters, Size
from fewest.statistics.splits import is_split

if TYPE_CHECKING:
    from fewest.data.source import Source
    from fewest.selectors.collection import CollectedRows
    from fewest.selectors.selector import Selector

SCALES = ("auto", "std", "range", "symmetric", None)
RULES = ("1se", "min", "stable")
DEFAULT_SIZE = 10
#: What n_features="fdr" controls, and by which procedure.
CONTROLS = ("bh", "by", "fwer")
#: More permutations than anybody waits for.
_MOST_PERMUTATIONS = 100_000_000
#: More folds than anybody waits for.
_MOST_FOLDS = 10_000
#: A criterion that offers each method.
OFFERED_BY = {
    **dict.fromkeys(("n_columns", "score_subset", "score_removals"), "CrossValidatedError()"),
    **dict.fromkeys(("score_features", "p_values"), "ScatterTrace()"),
    "score_pairs": "ScatterTrace(degree=2)",
    "score_triples": "ScatterTrace(degree=3)",
    **dict.fromkeys(("score_additions", "bound_additions"), "RelevanceRedundancy()"),
    "least_members": "LinearMargin()",
    **dict.fromkeys(("start_weights", "score_weights"), "KernelScatter()"),
}
#: Searches with the methods that they require, the most demanding first.
REQUIRED_BY = {
    "MinimumCut()": {"score_features", "score_pairs"},
    "GreedyForward()": {"score_features", "score_additions", "bound_additions"},
    "GreedyForward(lazy=False)": {"score_features", "score_additions"},
    "WeightAscent()": {"n_columns", "start_weights", "score_weights"},
    "IndividualRanking()": {"score_features"},
    "Exhaustive()": {"n_columns", "score_subset"},
}


@dataclass(eq=False, repr=False)
class TestsColumns(SharedParameters):
    """Select the columns whose scores are unlikely without class information, at a false discovery rate.

    Parameters
    ----------
    level : float, default=0.05
        The rate of errors under n_features="fdr": the share of selected columns that share no information with the
        class is at most this, in the mean.
    control : {"bh", "by", "fwer"}, default="bh"
        What is at most `level`: the false discovery rate of independent or positively dependent columns
        (Benjamini-Hochberg), of columns with any dependence (Benjamini-Yekutieli), or the probability of any false
        column (Holm; with permutations the largest score of all columns, Westfall-Young).
    n_permutations : int or None, default=None
        The largest number of permutations of the labels that p-values come from; fewer are used where they decide. None
        uses the formula of the method, and 1,000 permutations where it has none.

    Attributes
    ----------
    p_values_ : ndarray of float, shape (n_features_in_,)
        Under n_features="fdr", the p-value of each column. Where scores depend on other columns, those that pass are
        tested again while the others that pass keep their differences between the classes; the larger p-value counts.
    q_values_ : ndarray of float, shape (n_features_in_,)
        The same adjusted for the number of columns: those of at most `level` are selected.
    """

    __test__ = False  # it is no test of pytest's

    _: KW_ONLY
    level: float = 0.05
    control: str = "bh"
    n_permutations: int | None = None

    def _is_tested(self) -> bool:
        """Return whether tests decide how many columns are taken."""
        return str(getattr(self, "n_features", None)) == "fdr"

    def _check_tests(self, search: AnySearch | None) -> None:
        """Raise unless the parameters of tests are what they must be, and the search can take the columns that pass.

        search : None where there are several
        """
        if not is_number(self.level) or not 0 < self.level < 1:
            raise wrong("level", "a number between 0 and 1", self.level)
        check_choice("control", self.control, CONTROLS)
        if self.n_permutations is not None:
            check_count("n_permutations", self.n_permutations, 1, at_most=_MOST_PERMUTATIONS, end=" or None")
        if self._is_tested():
            from fewest.selectors.significance.tested_search import check_testable

            check_testable(cast("Selector", self), search)

    def _permutes(self, criterion: AnyCriterion) -> bool:
        """Return whether labels may have to be permuted, so that rows are needed in memory."""
        return self._is_tested() and (self.n_permutations is not None or "p_values" not in criterion.offers)

    def _rows_to_permute(self, source: Source, criterion: AnyCriterion) -> Source:
        """Return the source, its rows in memory where labels may have to be permuted."""
        if not self._permutes(criterion):
            return source
        from fewest.selectors.significance.label_permutations import permutable

        return permutable(source)

    def _unused_tests(self) -> dict[str, str]:
        """Return the parameters of tests that were set and change nothing, with the reason."""
        if self._is_tested():
            return {}
        defaults = {"level": 0.05, "control": "bh", "n_permutations": None}
        changed = [name for name, default in defaults.items() if getattr(self, name) != default]
        return dict.fromkeys(changed, "it belongs to n_features='fdr'")

    def _run_search(
        self, sentence: Sentence, objective: Objective, size: int | None, collected: CollectedRows | None
    ) -> tuple[Selection, tuple[str, ...]]:
        """Run the search, among the columns that pass where these are tested; also return notes on the tests."""
        for attribute in ("p_values_", "q_values_"):
            self.__dict__.pop(attribute, None)
        if not self._is_tested():
            return cast("Selector", self)._space.run(sentence[1], objective, size), ()
        from fewest.selectors.significance.tested_search import run_among_passing

        return run_among_passing(cast("Selector", self), sentence, objective, collected)


def check_parameters(selector: Selector) -> None:
    """Raise unless the parameters that every selector has are what they must be, and a sample can be drawn."""
    check_size(selector.n_features)
    check_sample(selector._sample_size, selector.cv)
    check_choice("scale", selector.scale, SCALES)
    check_choice("rule", selector.rule, RULES)
    check_estimator(selector.estimator)
    check_cv(selector.cv)
    if selector.scoring is not None:
        to_metric(selector.scoring)
    check_count("max_features", selector.max_features, at_least=1)
    check_count("random_state", selector.random_state, at_least=0)
    check_verbose(selector.verbose)


def check_fit(criterion: AnyCriterion, search: AnySearch) -> None:
    """Raise, before any data are read, when the search needs what the criterion does not offer."""
    for part, claim, role, example in (
        (criterion, "offers", "criterion", "ScatterTrace()"),
        (search, "requires", "search", "IndividualRanking()"),
    ):
        if isinstance(part, type) or not hasattr(part, claim):
            raise InvalidParameter(f"{role} must be a {role} such as {example}, got {part!r} instead.")
    lacking = sorted(search.requires - criterion.offers)
    if lacking:
        fitting = [name for name, required in REQUIRED_BY.items() if required <= criterion.offers]
        other = OFFERED_BY.get(lacking[0])
        raise InvalidParameter(
            f"{type(search).__name__} needs {', '.join(lacking)}, which {type(criterion).__name__} does not offer. Use "
            f"{fitting[0] if fitting else 'another search'}, or a criterion that offers it"
            f"{f', such as {other}' if other else ''}."
        )


def check_estimator(estimator: object) -> None:
    """Raise unless this is a classifier of scikit-learn's kind, the name of one, or None."""
    if estimator is None:
        return
    # Imported here: reading the parameters should not have to wait for scikit-learn.
    from sklearn.base import is_regressor

    from fewest.selectors.estimators.named_estimators import to_estimator

    if isinstance(estimator, str):
        to_estimator(estimator)
        return

    has_all = all(hasattr(estimator, method) for method in ("get_params", "fit", "predict"))
    is_other = isinstance(estimator, type) or (hasattr(estimator, "__sklearn_tags__") and is_regressor(estimator))
    if is_other or not has_all:
        raise InvalidParameter(
            "estimator must be a classifier, such as KNeighborsClassifier(), the name of one, such as 'nb', or None, "
            f"got {estimator!r} instead."
        )


def check_size(n_features: Size) -> None:
    """Raise unless n_features is a count, a share, "auto", "fdr" or None."""
    is_count = is_whole(n_features) and n_features >= 1
    is_share = is_number(n_features) and 0 < n_features <= 1
    is_word = isinstance(n_features, str) and n_features in ("auto", "fdr")
    if not (n_features is None or is_word or is_count or is_share):
        allowed = "a whole number of at least 1, a share between 0 and 1, 'auto', 'fdr' or None"
        raise wrong("n_features", allowed, n_features)


def resolve_size(n_features: Size, n_columns: int) -> int:
    """Return the number of columns that a checked n_features asks for; all, with a warning, where it is more."""
    if n_features is None:
        return min(DEFAULT_SIZE, n_columns)
    if not is_whole(n_features):
        return max(1, round(float(n_features) * n_columns))
    if n_features > n_columns:
        what = f"n_features={n_features} is more than the {n_columns} columns there are; all are taken."
        warnings.warn(what, FewestWarning, stacklevel=4)
    return min(int(n_features), n_columns)


def check_sample(sample: object, cv: object) -> None:
    """Raise unless a sample of this size can be drawn: a count of at least 4, or None for all rows."""
    if sample is None:
        return
    check_count("sample", sample, 4, end=" or None")
    if is_split(cv) and not hasattr(cv, "split"):
        raise InvalidParameter(
            f"cv holds numbers of rows, and sample={sample} leaves out most of these. Give cv a count or a splitter, "
            "such as KFold()."
        )


def check_cv(cv: object) -> None:
    """Raise unless cv is a count of at least 2, a splitter, or an iterable of (train, test) rows."""
    if is_whole(cv) or not is_split(cv):
        check_count("cv", cv, at_least=2, at_most=_MOST_FOLDS)


def check_verbose(verbose: object) -> None:
    """Raise unless verbose is True or False, or a whole number as scikit-learn has it."""
    if not is_whole(verbose):
        check_flag("verbose", verbose)


def plain_parameter(value: object) -> Scalar:
    """Return a parameter as JSON can hold it: finite numbers and strings as they are, all else as it prints."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def parameters_of(kind: type[Selector], settings: Iterable[str]) -> dict[str, Any]:
    """Return the parameters of a method that settings such as "criterion=quotient" set."""
    return read_parameters(kind.name, sorted(kind().get_params(deep=False)), settings, _methods_with)


def _methods_with(parameter: str) -> str:
    """A sentence that names the methods with this parameter, or nothing."""
    from fewest.selectors.registry import methods_by_name

    methods = [name for name, kind in methods_by_name().items() if parameter in signature(kind).parameters]
    return f" {parameter!r} is a parameter of {', '.join(methods)}." if methods else ""


def read_parameters(
    method: str, known: Sequence[str], settings: Iterable[str], elsewhere: Callable[[str], str] = lambda parameter: ""
) -> dict[str, Any]:
    """Return the parameters that settings such as "criterion=quotient" set, of those that are known.

    elsewhere : a sentence about what else has a parameter that this method does not have
    """
    parameters: dict[str, Any] = {}
    for setting in settings:
        parameter, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise InvalidParameter(f"A parameter is set by NAME=VALUE, got {setting!r} instead.")
        if parameter not in known:
            what = f"{method} has no parameter {parameter!r}{did_you_mean(parameter, known)}."
            raise InvalidParameter(f"{what} It has: {', '.join(known)}.{elsewhere(parameter)}")
        parameters[parameter] = literal(value)
    return parameters


def parse_call(text: str, what: str, example: str) -> tuple[str, list[str]]:
    """Return the name and the settings of a text such as "mrmr(criterion=quotient, n_bins=5)".

    what, example : what the text stands for, and how one is written, for an error
    """
    name, bracket, inside = (part.strip() for part in text.strip().partition("("))
    if bracket and not inside.endswith(")"):
        raise InvalidParameter(
            f"A {what} is a name, or a name with parameters, {example}; got {text!r}. Close the bracket after the last "
            "parameter."
        )
    return name, split_outside_brackets(inside[:-1], ",;")


def split_outside_brackets(text: str, separators: str = ",") -> list[str]:
    """Return the parts of a text between separators that are outside brackets and quotes; empty parts are left out."""
    parts, depth, quote, start = [], 0, "", 0
    for position, character in enumerate(text):
        if quote or character in "'\"":
            quote = "" if character == quote else quote or character
        elif character in separators and depth == 0:
            parts.append(text[start:position])
            start = position + 1
        else:
            depth += (character in "([{") - (character in ")]}")
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def literal(text: str) -> object:
    """Return the Python literal (2, 0.5, None, True, also in small letters), or else the text itself."""
    constants = {"true": True, "false": False, "none": None}
    if text.lower() in constants:
        return constants[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text

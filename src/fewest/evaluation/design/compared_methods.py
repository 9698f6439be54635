"""What is compared: the methods by name, the numbers of features, and the metric."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fewest.arrays import Floats
from fewest.display.formatting import percent
from fewest.errors import InvalidParameter
from fewest.evaluation.design.labelled_tables import Table
from fewest.evaluation.design.resampling import Split
from fewest.metrics import ErrorRate, Metric, default_metric
from fewest.objectives.subset_sizes import logarithmic_sizes
from fewest.selectors.adapters.scikit_learn import ScikitLearnSelector, is_selector, short_name
from fewest.selectors.registry import method_by_name
from fewest.selectors.selector import Selector
from fewest.selectors.selector_parameters import parameters_of, parse_call, read_parameters
from fewest.selectors.sizes.size_rules import one_standard_error_rule

#: Default sizes: at most this number of them, up to this number of features.
_N_SIZES, _MAX_SIZE = 15, 100

#: Selectors of scikit-learn that can be named, by their names in small letters.
_OF_SCIKIT_LEARN = {
    name.lower(): name for name in ("SelectKBest", "SelectFromModel", "RFE", "RFECV", "SequentialFeatureSelector")
}


#: What is compared where nobody says what: a method of each of the five papers, and two that everybody knows.
DEFAULT_METHODS = (
    "mrmr", "fisher-markov", "kernel-separability", "relieff", "parzen-relief", "svm-rfe", "nonmonotonic-mkl",
)  # fmt: skip


def to_methods(methods: object) -> dict[str, Selector]:
    """Selectors by name, from names such as "mrmr" or "RFE(step=2)", and from selectors, those of scikit-learn too.

    None stands for DEFAULT_METHODS.
    """
    methods = DEFAULT_METHODS if methods is None else methods
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        methods = [methods]
    selectors: dict[str, Selector] = {}
    for one in methods:
        name, selector = _parse(one) if isinstance(one, str) else _describe(one)
        if name in selectors:
            raise InvalidParameter(f"The method {name!r} is named twice. Name each once, or give it other parameters.")
        selector._checked_sentence()
        selectors[name] = selector
    if not selectors:
        raise InvalidParameter("There are no methods to compare. Name some, such as 'mrmr'.")
    return selectors


def to_sizes(sizes: object, n_columns: int) -> tuple[int, ...]:
    """The sizes that a table has columns for; None: about 15, evenly spaced in logarithms."""
    if sizes is None:
        return tuple(logarithmic_sizes(min(_MAX_SIZE, n_columns), _N_SIZES))
    requested = list(sizes) if isinstance(sizes, Iterable) else [sizes]
    found = [s for s in requested if isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s >= 1]
    if not found or len(found) < len(requested):
        raise InvalidParameter(f"sizes must be whole numbers of at least 1, got {sizes!r} instead.")
    return tuple(sorted({min(int(size), n_columns) for size in found}))


def metric_of_tables(
    requested: Metric | None, tables: Sequence[Table], splits: Sequence[Sequence[Split]]
) -> tuple[Metric, str | None]:
    """The metric, one for all tables, and why it is not the error where nobody asked for another.

    A metric that is no mean over rows needs test rows of two classes in every split: such a request is refused, and by
    default it is the error then.
    """
    alone = next((table for table, own in zip(tables, splits, strict=True) if _has_one_class(table, own)), None)
    if requested is not None:
        if alone is not None and not requested.is_by_row:
            raise InvalidParameter(
                f"The {requested.label} needs test rows of two classes in every split, and a split of {alone.name!r} "
                "has one (leave-one-out always does). Take folds (outer='10-fold'), or the metric 'error'."
            )
        n_splits = min(map(len, splits))
        if n_splits < 2 and (requested.low is None or requested.high is None):
            raise InvalidParameter(
                f"The {requested.label} of a single split has no interval. Take several splits, or the metric 'error'."
            )
        return requested, None
    if alone is None:
        for table in tables:
            counts = np.bincount(table.codes)
            metric = default_metric(counts.tolist())
            if metric.name != ErrorRate.name:
                where = f" of {table.name!r}" if len(tables) > 1 else ""
                share = percent(float(counts[counts > 0].min() / counts.sum()))
                return metric, f"the smallest class{where} has {share} of the rows"
    return ErrorRate(), None


def _has_one_class(table: Table, splits: Sequence[Split]) -> bool:
    return any(len(np.unique(table.codes[test])) < 2 for _, test in splits)


def chosen_index(errors: Floats, rule: str) -> int:
    """The index of the size that the rule chooses, from the errors of each fold (a row) at each size."""
    return int(errors.mean(axis=0).argmin()) if rule == "min" else one_standard_error_rule(errors)


def subsets_of(path: Mapping[int, Sequence[int]], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """The features at each size: the best found of that size, or of the largest below it in the path."""
    known = sorted(path)
    return [tuple(path[max((one for one in known if one <= size), default=known[0])]) for size in sizes]


def _parse(text: str) -> tuple[str, Selector]:
    name, settings = parse_call(text, "method", "mrmr(criterion=quotient, n_bins=5)")
    written = f"({', '.join(settings)})" if settings else ""
    if name.lower() in _OF_SCIKIT_LEARN:
        return f"{_OF_SCIKIT_LEARN[name.lower()]}{written}", _scikit_learn_selector(name, settings)
    kind = method_by_name(name)
    return f"{kind.name}{written}", kind(**parameters_of(kind, settings))


def _scikit_learn_selector(name: str, settings: Sequence[str]) -> Selector:
    """A selector of scikit-learn from its name and NAME=VALUE: score functions and classifiers by their names.

    One that fits a classifier does so on standardized columns.
    """
    from sklearn import feature_selection
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from fewest.evaluation.run.classifiers import EstimatorClassifier, to_classifier

    kind = getattr(feature_selection, _OF_SCIKIT_LEARN[name.lower()])
    parameters = read_parameters(kind.__name__, list(inspect.signature(kind).parameters), settings)
    if "score_func" in parameters:
        known = [one for one in feature_selection.__all__ if one.endswith("_classif") or one == "chi2"]
        if parameters["score_func"] not in known:
            raise InvalidParameter(
                f"score_func is one of {', '.join(known)}, got {parameters['score_func']!r} instead."
            )
        parameters["score_func"] = getattr(feature_selection, parameters["score_func"])
    if "estimator" not in inspect.signature(kind).parameters:
        return ScikitLearnSelector(kind(**parameters))
    classifier = to_classifier(parameters.pop("estimator", "rf" if kind.__name__ == "SelectFromModel" else "svm"))
    if not isinstance(classifier, EstimatorClassifier):
        raise InvalidParameter(f"{kind.__name__} needs a classifier with weights: svm, lda, logistic, tree or rf.")
    return ScikitLearnSelector(make_pipeline(StandardScaler(), kind(classifier.estimator, **parameters)))


def _describe(selector: object) -> tuple[str, Selector]:
    """A selector with its name, which includes the parameters that are not the default."""
    if isinstance(selector, ScikitLearnSelector):
        return short_name(selector.selector), selector
    if not isinstance(selector, Selector) and is_selector(selector):
        return short_name(selector), ScikitLearnSelector(selector)
    if not isinstance(selector, Selector):
        raise InvalidParameter(
            "A method is a name such as 'mrmr', or a selector such as MRMR() or scikit-learn's SelectKBest(), got "
            f"{selector!r}."
        )
    defaults = {} if not selector.name else type(selector)().get_params(deep=False)
    changed = [
        f"{name}={value}"
        for name, value in selector.get_params(deep=False).items()
        if name not in ("n_features", "verbose") and (name not in defaults or repr(defaults[name]) != repr(value))
    ]
    name = selector.name or type(selector).__name__
    return name + (f"({', '.join(changed)})" if changed else ""), selector

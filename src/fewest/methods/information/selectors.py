"""Selectors by mutual information (mRMR and its relatives) and by chi-square."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from fewest.errors import InvalidParameter
from fewest.methods.information.discretisation.discretizer import Discretizer
from fewest.methods.information.information_criteria import ChiSquareStatistic, MutualInformation
from fewest.methods.information.joint_information import JointInformation, JointInformationObjective
from fewest.methods.information.relevance_redundancy import FORMS, RelevanceRedundancy
from fewest.methods.information.set_redundancy import SetRedundancy
from fewest.parameters import check_choice
from fewest.protocols import AnySearch, Sentence
from fewest.searches.exhaustive import Exhaustive
from fewest.searches.greedy import GreedyForward
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.minimum_cut import MinimumCut
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector, ScoredRowSelector

#: How MRMR searches: step by step, or whole subsets.
MODES = ("forward", "cut", "exhaustive")


@dataclass(eq=False, repr=False)
class CategoricalSelector(RowSelector):
    """A selector that counts categories.

    Parameters
    ----------
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        Has no effect: categories have no scale.
    discretize : {"auto", None, "mean", "sigma", "width", "frequency"}, default="auto"
        How a column becomes categories. "auto": text, categories, booleans and integers of at most 10 values stay as
        they are; the rest are cut as by "sigma". None: every column stays as it is. "mean": above the mean or not.
        "sigma": below, within or above mean - factor * sd to mean + factor * sd. "width", "frequency": n_bins of equal
        width, or of about equal numbers of rows. Thresholds come from the training rows.
    n_bins : int, default=5
        The number of bins of "width" and "frequency".
    factor : float, default=1.0
        The number of standard deviations of "sigma".
    missing : {"state", "pairwise"}, default="state"
        A missing value is a category of its own, or a pair of columns is counted over the rows where both are observed.
    correction : {"auto", None}, default="auto"
        "auto": in columns of more than 10 categories, categories with fewer than 5 rows are pooled into one, and only
        what is beyond chance counts: 0 where columns share no more than independent ones would, and everything where
        one determines the other. None: the plain number, which grows with the number of categories. Columns of up to
        10 categories have the plain number either way.
    """

    takes: ClassVar[str] = "numbers and text, missing values allowed"
    _scale_is_inert: ClassVar[str] = "categories have no scale, and densities are of standardised values"
    cost: ClassVar[str] = "one read, rows as bytes; two of a large stream"

    _: KW_ONLY
    discretize: str | None = "auto"
    n_bins: int = 5
    factor: float = 1.0
    missing: str = "state"
    correction: str | None = "auto"

    def _discretizer(self) -> Discretizer:
        """Return how columns become categories."""
        return Discretizer(self.discretize, self.n_bins, self.factor, self.missing)


@dataclass(eq=False, repr=False)
class DensitySelector(CategoricalSelector):
    """A selector that counts categories, or puts a Gaussian on each value.

    Parameters
    ----------
    density : {"discrete", "parzen"}, default="discrete"
        "discrete" counts categories. With "parzen" the density of a column is a sum of Gaussians, one at each row, on
        standardized values. It takes no missing numbers, and sample weights that
        are fractions; discretize, n_bins, factor, missing and correction have no effect.
    width : float or {"silverman", "scott"}, default="silverman"
        The width of the Gaussians, in standard deviations of a column: 1.06 N^(-1/5), N^(-1/5), or a number of 0.01 to
        100. Has no effect on categories.
    covariance : {"diagonal", "full"}, default="diagonal"
        Of the Gaussians of a joint density of columns: independent, as the paper has it, or with the covariance of the
        columns. Has no effect on categories.
    """

    _: KW_ONLY
    density: str = "discrete"
    width: float | str = "silverman"
    covariance: str = "diagonal"

    def _allows_missing(self) -> bool:
        return self.density != "parzen"

    def _density(self) -> dict[str, Any]:
        """Return what the criterion needs to know of densities."""
        names = ("density", "correction", "width", "covariance")
        return {name: getattr(self, name) for name in names}


@dataclass(eq=False, repr=False)
class MRMR(DensitySelector):
    """Select features of high relevance to the class and low redundancy among each other (mRMR).

    The most relevant feature is taken first, then, one after the other, the one with the largest

    - "difference" (MID): I(x; c) - mean over selected s of I(x; s),
    - "quotient" (MIQ): I(x; c) / (mean over selected s of I(x; s) + 1e-4 ln 2),

    where I is the mutual information in nats.

    Parameters
    ----------
    criterion : {"difference", "quotient"}, default="difference"
        How relevance and redundancy are combined.
    redundancy_weight : float, default=1.0
        The factor of the mean redundancy in the difference, 0 or more: 0 ranks by relevance. 1 in the quotient.
    mode : {"forward", "cut", "exhaustive"}, default="forward"
        "forward" is mRMR. The other two search subsets of n_features by their mean relevance less the mean redundancy
        of all pairs, each feature with itself among them, the objective from which the paper sets out: "exhaustive"
        proves the best of all, for few columns; "cut" improves a subset by exchanges and has a bound, for up to
        2,000 columns. Of the difference only.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features_in_,)
        The value of a column when it was taken; NaN for those that were not. "exhaustive": the loss without it; "cut":
        its own part of the value.

    See Also
    --------
    MaxRelevance : Relevance alone.
    MaxDependency : The information of all selected features together with the class.

    Notes
    -----
    Columns whose upper bound cannot win are not evaluated; the answer is that of all. Scores within 1e-12 of the
    highest are ties, and go to the lowest column. Does not see what features share with the class only together.

    References
    ----------
    Peng, Long and Ding (2005), Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy. https://doi.org/10.1109/TPAMI.2005.159

    Examples
    --------
    >>> from fewest import MRMR
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> MRMR(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
    """

    name: ClassVar[str] = "mrmr"
    summary: ClassVar[str] = "features of high relevance to the class and low redundancy among each other"
    formula: ClassVar[str] = "I(x; c) − mean over selected s of I(x; s); criterion=quotient divides"
    proves: ClassVar[str] = "the optimum if exhaustive"

    criterion: str = "difference"
    _: KW_ONLY
    redundancy_weight: float = 1.0
    mode: str = "forward"

    def sentence(self) -> Sentence:
        check_choice("criterion", self.criterion, FORMS)
        check_choice("mode", self.mode, MODES)
        if self.mode != "forward":
            if self.criterion != "difference":
                raise InvalidParameter(
                    f"mode={self.mode!r} is for criterion='difference': the quotient is defined for one feature in "
                    f"addition to others, not for subsets; got criterion={self.criterion!r}. Use mode='forward'."
                )
            search: AnySearch = MinimumCut() if self.mode == "cut" else Exhaustive(path=True)
            criterion = SetRedundancy("difference", self._discretizer(), self.redundancy_weight, **self._density())
            return criterion, search
        parameters = self._discretizer(), self.redundancy_weight
        return RelevanceRedundancy(self.criterion, *parameters, **self._density()), GreedyForward()


@dataclass(eq=False, repr=False)
class MaxRelevance(DensitySelector, ScoredRowSelector):
    """Rank features by their mutual information with the class, each on its own.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features_in_,)
        I(x; c) in nats; exactly 0 where a column is constant, NaN where nothing was observed.

    See Also
    --------
    MRMR : The same less the redundancy with the selected features.
    InformationGain : The same of categories, by its other name.

    Notes
    -----
    Does not see redundancy: a copied column scores as well as the original.

    References
    ----------
    Peng, Long and Ding (2005), Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy. https://doi.org/10.1109/TPAMI.2005.159

    Examples
    --------
    >>> from fewest import MaxRelevance
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MaxRelevance(n_features=2).fit(X, y).selection_.indices
    (2, 3)
    """

    name: ClassVar[str] = "max-relevance"
    summary: ClassVar[str] = "the mutual information of each feature with the class"
    formula: ClassVar[str] = "I(x; c)"
    proves: ClassVar[str] = "nothing: no objective"

    def sentence(self) -> Sentence:
        return MutualInformation(self._discretizer(), **self._density()), IndividualRanking()


@dataclass(eq=False, repr=False)
class MaxDependency(DensitySelector):
    """Select features whose joint information with the class is highest.

    Features are added one by one, each the one that gives the largest I(S; c), over joint categories, or over products
    of Gaussians (density="parzen": a number for every two rows, of 11,585 at most).

    See Also
    --------
    MRMR : Relevance and redundancy of pairs, which need fewer rows.

    Notes
    -----
    Joint categories multiply: soon each holds one row, and the class of every row seems determined. From there on
    features are ranked by relevance, and a note says so. A column of many categories adds what is beyond chance within
    the joint categories so far; after one was taken so do all others, and where none adds anything relevance decides.

    References
    ----------
    Peng, Long and Ding (2005), Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy. https://doi.org/10.1109/TPAMI.2005.159

    Examples
    --------
    >>> from fewest import MaxDependency
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MaxDependency(n_features=2).fit(X, y).selection_.indices
    (2, 3)
    """

    name: ClassVar[str] = "max-dependency"
    summary: ClassVar[str] = "features whose joint information with the class is highest"
    formula: ClassVar[str] = "I(S; c), the information of the columns in S together"
    proves: ClassVar[str] = "nothing: greedy"

    def sentence(self) -> Sentence:
        criterion = JointInformation(self._discretizer(), **self._density())
        return criterion, GreedyForward(lazy=False)

    def _fit_notes(self, selection: Selection, objective: object) -> tuple[str, ...]:
        if not isinstance(objective, JointInformationObjective) or objective.saturated_at is None:
            return ()
        joint = "joint categories" if self.density == "discrete" else "joint densities"
        reason = f"their {joint} determine the class of every row"
        if objective.adds_by_chance:
            reason = "what other columns add to their joint information is no more than chance"
        return (
            f"after {objective.saturated_at} feature(s) {reason}; the rest are ranked by the information of each alone",
        )


@dataclass(eq=False, repr=False)
class InformationGain(CategoricalSelector, ScoredRowSelector):
    """Rank features by how much each lowers the entropy of the class.

    H(c) - H(c | x) is the mutual information of MaxRelevance, under the name that decision trees and text mining use.

    See Also
    --------
    MaxRelevance : The same, also of densities.
    ChiSquare : Pearson's chi-square of the same counts.

    Notes
    -----
    Does not see redundancy: a copied column scores as well as the original.

    References
    ----------
    Quinlan, 1986. Induction of Decision Trees. https://doi.org/10.1007/BF00116251

    Examples
    --------
    >>> from fewest import InformationGain
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> InformationGain(n_features=2).fit(X, y).selection_.indices
    (2, 3)
    """

    name: ClassVar[str] = "information-gain"
    summary: ClassVar[str] = "how much each feature lowers the entropy of the class: MaxRelevance by its other name"
    formula: ClassVar[str] = "H(c) − H(c | x)"
    proves: ClassVar[str] = "nothing: no objective"

    def sentence(self) -> Sentence:
        return MutualInformation(self._discretizer(), correction=self.correction), IndividualRanking()


@dataclass(eq=False, repr=False)
class ChiSquare(CategoricalSelector):
    """Rank features by Pearson's chi-square of their categories by class.

    The sum over categories and classes of (count - expected)^2 / expected. Not scikit-learn's chi2, which adds up
    values as if they were counts.

    See Also
    --------
    InformationGain : The information in the same counts.

    Notes
    -----
    Up to 10 categories it grows a little with their number; beyond, see `correction`. Does not see redundancy.

    References
    ----------
    Pearson, 1900. On the Criterion that a Given System of Deviations from the Probable in the Case of a Correlated
    System of Variables is such that it can be Reasonably Supposed to have Arisen from Random Sampling.
    https://doi.org/10.1080/14786440009463897

    Examples
    --------
    >>> from fewest import ChiSquare
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ChiSquare(n_features=2).fit(X, y).selection_.indices
    (3, 2)
    """

    name: ClassVar[str] = "chi-square"
    summary: ClassVar[str] = "how far each feature's counts by class are from independence"
    formula: ClassVar[str] = "Σ (count − expected)² / expected, over categories × classes"
    proves: ClassVar[str] = "nothing: no objective"

    def sentence(self) -> Sentence:
        return ChiSquareStatistic(self._discretizer(), self.correction), IndividualRanking()

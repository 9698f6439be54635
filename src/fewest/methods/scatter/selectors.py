"""Selectors by the scatter between and within the classes: FisherMarkov, FisherScore, PearsonCorrelation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewest.arrays import Floats
from fewest.errors import FewestWarning, InvalidParameter
from fewest.methods.scatter.class_scatter import ClassCorrelation, ScatterRatio, ScatterTrace, TraceScores
from fewest.methods.scatter.pair_trace import PairObjective
from fewest.methods.scatter.triple_trace import CubicObjective
from fewest.parameters import check_choice, check_count, check_number, is_auto, wrong
from fewest.protocols import Sentence
from fewest.provenance import Provenance
from fewest.searches.individual_ranking import IndividualRanking
from fewest.searches.minimum_cut import MaximumClosure, MinimumCut
from fewest.selection import Selection
from fewest.selectors.row_selector import RowSelector
from fewest.selectors.selector import Selector

#: Among these gamma="auto" chooses; of equals the first. What is above 1/2 harms.
GAMMAS = (0.0, -0.5, -1.0, 0.25, 0.5)


@dataclass(eq=False, repr=False)
class FisherMarkov(RowSelector):
    """Select the features that separate the classes most, alone or together, exactly: the Fisher-Markov selector.

    With T(z) = between - gamma * total of a column z, theta_j = T(x_j) and theta_jl = T(x_j x_l), chooses the subset S
    that maximises

    - degree 1 (LFS): the sum over S of theta_j - beta,
    - degree 2 (QFS): the sum over S of theta_j + w theta_jj / 2 - beta, plus that of w theta_jl over the pairs in S,
    - degree 3: the same for the kernel s + s^2 + s^3/3.

    Solved exactly from one pass over the data, degrees 2 and 3 by minimum cuts, with the best subsets for every beta.

    Parameters
    ----------
    degree : {1, 2, 3}, default=1
        The degree of the kernel. 1 scores each feature on its own; 2 finds features that separate the classes in pairs,
        in memory for a table of columns by columns; 3 also in triples, for at most 60 columns, and keeps the rows.
    gamma : float or "auto", default=0.0
        How much a feature's total variance counts against it. Best at 0; above 1/2 it harms. With degree 1 and
        scale="std" it moves all scores alike and changes no order. Up to `exact_gamma_` the answer is proved. "auto"
        takes the least cross-validated error of 0, -0.5, -1, 0.25 and 0.5.
    beta : float, "auto", "null" or None, default=None
        The cost of a feature: the subset that is best after costs is taken. "auto" chooses it by cross-validation, as
        the paper does, by the `rule` for n_features="auto". "null", with degree 1, takes the features whose score is
        unlikely in a column without class information. None takes n_features.
    level : float, default=0.05
        The false discovery rate under beta="null" and n_features="fdr".
    kernel : {"inhomogeneous", "homogeneous"}, default="inhomogeneous"
        With degree 2 and 3: whether features count alone too, or only in products of the highest degree (QFS').
    pair_weight : float, default=1.0
        The weight w of pairs, with degree 2. 1 as in the paper; 1 / (columns - 1) is safer on real tables, but misses
        features that separate the classes only together.
    keep_pairs : bool, default=False
        Whether to keep `theta_pairs_`, a table of columns by columns.
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        "auto" divides each column by its standard deviation with degree 1, and maps it to [-1, 1] with degree 2 and 3.
    estimator : classifier or None, default=None
        The classifier whose cross-validated error decides under n_features="auto"; None is an SVM with a kernel of this
        degree.

    Attributes
    ----------
    theta_ : ndarray of float, shape (n_features_in_,)
        The theta of each column; NaN where nothing was observed.
    theta_pairs_ : ndarray of float, shape (n_features_in_, n_features_in_)
        The theta_jl, with theta_jj on the diagonal; only with keep_pairs=True and degree 2 or 3.
    scores_ : ndarray of float, shape (n_features_in_,)
        With degree 1 theta, with degree 2 and 3 the beta at which a column enters the best subset.
    path_ : mapping from int to tuple of int
        The columns of the best subset of each size.
    gamma_, beta_ : float
        Those used, given or chosen; beta_ only where there is a number.
    exact_gamma_ : float
        With degree 2 and 3: every gamma up to this one is solved exactly. At least 0; known beyond that where gamma is
        not 0, and always with degree 3.

    See Also
    --------
    FisherScore : The ratio of the scatters instead of their difference.
    KernelSeparability : Separability in the feature space of a Gaussian kernel.

    Notes
    -----
    Degree 1 is exact for every gamma. Degrees 2 and 3 are exact for every beta where gamma is at most `exact_gamma_`;
    otherwise, and for a number of features that is best at no beta, `selection_.bound` limits how much better any other
    subset can be; `selection_.breakpoints` has the beta at which features enter. A missing value (NaN) is left out of
    all sums that it is part of. Cannot see redundancy: a copied column scores as well as the original.

    References
    ----------
    Cheng, Zhou and Cheng (2011), The Fisher-Markov Selector: Fast Selecting Maximally Separable Feature Subset for
    Multiclass Classification with Applications to High-Dimensional Data, https://doi.org/10.1109/TPAMI.2010.195

    Examples
    --------
    >>> from fewest import FisherMarkov
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherMarkov(n_features=2).fit(X, y).selection_.indices
    (2, 3)

    Two columns that separate the classes only together:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).choice([-1.0, 1.0], size=(400, 6))
    >>> y = X[:, 1] * X[:, 4] > 0
    >>> sorted(FisherMarkov(degree=2, n_features=2).fit(X, y).selection_.indices)
    [1, 4]
    """

    _column_attributes: ClassVar[tuple[str, ...]] = ("theta_", "theta_pairs_")
    name: ClassVar[str] = "fisher-markov"
    summary: ClassVar[str] = "classes far apart, each feature alone, or in pairs (degree=2) or threes (degree=3)"
    formula: ClassVar[str] = "max over S of Σ θ_j − β, θ_j = between_j − γ total_j; degree=2 adds θ_jl of pairs"
    proves: ClassVar[str] = "the exact optimum"
    cost: ClassVar[str] = "one read"

    degree: int = 1
    gamma: float | str = 0.0
    beta: float | str | None = None
    kernel: str = "inhomogeneous"
    pair_weight: float = 1.0
    keep_pairs: bool = False

    def sentence(self) -> Sentence:
        degree = check_count("degree", self.degree, at_least=1)
        if isinstance(self.gamma, str) and self.gamma != "auto":
            raise wrong("gamma", "a finite number or 'auto'", self.gamma)
        # A number other than 0, so that what all alternatives need is collected.
        gamma = GAMMAS[1] if self._alternatives() else check_number("gamma", self._plain_gamma())
        beta = None if is_auto(self.beta) else self.beta
        check_choice("keep_pairs", self.keep_pairs, (True, False))
        if self.beta is not None and self.n_features is not None:
            raise InvalidParameter(
                f"Give beta or n_features, not both (n_features={self.n_features!r}): each decides how many to take."
            )
        scale = self._scale_or("std" if degree == 1 else "symmetric")
        criterion = ScatterTrace(gamma, scale, degree, self.kernel, self.pair_weight)
        if degree == 1:
            return criterion, IndividualRanking(beta=beta, level=self.level)
        if isinstance(beta, str) and beta == "null":
            raise InvalidParameter(
                f"beta='null' tests each column on its own, which is degree=1; degree is {degree}. Give beta a number."
            )
        return criterion, (MinimumCut if degree == 2 else MaximumClosure)(beta=beta)  # type: ignore[arg-type]

    def _plain_gamma(self) -> float:
        """Return gamma, or 0 where "auto" has nothing to choose from."""
        return 0.0 if isinstance(self.gamma, str) else self.gamma

    def _alternatives(self) -> Sequence[Mapping[str, float]]:
        return [{"gamma": gamma} for gamma in GAMMAS] if is_auto(self.gamma) and not self._has_inert_gamma() else ()

    def _has_inert_gamma(self) -> bool:
        """Return whether gamma moves all scores alike, and the threshold is none or moves with them."""
        is_moved = self.beta is None or isinstance(self.beta, str)
        return self.degree == 1 and self.scale in ("auto", "std") and is_moved

    def _without_effect(self) -> Mapping[str, str]:
        found = dict(super()._without_effect())
        if self._has_inert_gamma() and self.gamma != 0:
            found["gamma"] = "with degree=1 and scale='std' it lowers all scores alike, and their order stays the same"
        if self.degree == 1 and self.kernel != "inhomogeneous":
            found["kernel"] = "there are no products with degree=1"
        if self.degree == 1 and self.keep_pairs:
            found["keep_pairs"] = "there are no pairs with degree=1"
        if self.beta == "null":
            found.pop("level", None)
        return found

    def _chooses_size(self) -> bool:
        return self.beta is not None or super()._chooses_size()

    def _seeks_threshold(self) -> bool:
        return is_auto(self.beta)

    def _objective_words(self) -> str:
        gamma = getattr(self, "_chosen", {}).get("gamma", self._plain_gamma())
        less = "" if gamma == 0 else f", less gamma = {gamma} times the total scatter"
        parts = ("features", "features and pairs", "features, pairs and triples")[self.degree - 1]
        return f"the scatter between the classes{less}, summed over {parts}"

    def _evaluation_degree(self) -> int:
        # A linear SVM cannot see columns that separate the classes only together, and would leave them out.
        return self.degree

    def _fit_notes(
        self, selection: Selection, objective: TraceScores | PairObjective | CubicObjective
    ) -> tuple[str, ...]:
        has_no_effect = self.degree == 1 and self.scale in ("auto", "std")
        if self._plain_gamma() <= 0.5 or has_no_effect:
            return ()
        theta = objective.scores if isinstance(objective, TraceScores) else objective.theta
        note = (
            f"gamma = {self.gamma:g} is above 1/2: in {np.count_nonzero(theta < 0):,} of {len(theta):,} columns the "
            "total variance outweighs the scatter between the classes (theta < 0), so that columns which vary little "
            "come first. On the paper's digits, with up to 20 columns, the error was 18 to 23 % at 0.5 and 67 to 80 % "
            "from 1 on. Use gamma = 0"
        )
        warnings.warn(note, FewestWarning, stacklevel=4)
        return (note,)

    def _store_selection(self, selection: Selection, provenance: Provenance) -> None:
        super()._store_selection(selection, provenance)
        self.path_ = selection.path

    def _store_fitted(self, objective: TraceScores | PairObjective | CubicObjective, selection: Selection) -> None:
        for attribute in ("theta_pairs_", "exact_gamma_", "beta_"):
            self.__dict__.pop(attribute, None)
        chosen = getattr(self, "_chosen", {})
        self.gamma_ = float(chosen.get("gamma", self._plain_gamma()))
        if (beta := chosen.get("beta", self.beta)) is not None and not isinstance(beta, str):
            self.beta_ = float(beta)
        if isinstance(objective, TraceScores):
            self.theta_: Floats = self.scores_
            return
        self.theta_ = objective.theta
        self.exact_gamma_: float = objective.exact_gamma
        if self.keep_pairs:
            self.theta_pairs_: Floats = objective.theta_pairs


@dataclass(eq=False, repr=False)
class FisherScore(Selector):
    """Select the features with the largest ratio of the scatter between the classes to that within them.

    score_f = sum_c n_c (mean_c - mean)^2 / sum_c n_c var_c.

    Parameters
    ----------
    printed : bool, default=False
        For two classes, |mean_1 - mean_0| / sqrt(var_1 + var_0) instead.
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        Has no effect: the score does not depend on the scale.

    See Also
    --------
    FisherMarkov : The difference of the scatters, with proof of the best subset.
    PearsonCorrelation : The same order of features.

    Notes
    -----
    One pass over the data. Cannot see redundancy, nor features that separate the classes only together.

    References
    ----------
    Fisher, 1936. The Use of Multiple Measurements in Taxonomic Problems.
    https://doi.org/10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> from fewest import FisherScore
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherScore(n_features=2).fit(X, y).scores_.round(2)
    array([ 1.62,  0.67, 16.06, 13.06])
    """

    name: ClassVar[str] = "fisher-score"
    _scale_is_inert: ClassVar[str] = "the score does not depend on the scale"
    summary: ClassVar[str] = "scatter between the classes over scatter within them"
    formula: ClassVar[str] = "Σ_c n_c (μ_c − μ)² / Σ_c n_c σ_c²"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read"

    printed: bool = False

    def sentence(self) -> Sentence:
        return ScatterRatio(printed=self.printed), IndividualRanking()


@dataclass(eq=False, repr=False)
class PearsonCorrelation(Selector):
    """Select the features that correlate most with the class.

    With two classes |corr(x, +-1)|, with more the multiple correlation with the indicators of the classes.

    Parameters
    ----------
    scale : {"auto", "std", "range", "symmetric"} or None, default="auto"
        Has no effect: a correlation does not depend on the scale.

    See Also
    --------
    FisherScore : The same order of features.

    Notes
    -----
    One pass over the data. Cannot see redundancy, nor features that separate the classes only together.

    References
    ----------
    Guyon, Elisseeff, 2003. An Introduction to Variable and Feature Selection. JMLR 3, 1157-1182.
    https://www.jmlr.org/papers/v3/guyon03a.html

    Examples
    --------
    >>> from fewest import PearsonCorrelation
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> PearsonCorrelation(n_features=2).fit(X, y).scores_.round(2)
    array([0.79, 0.63, 0.97, 0.96])
    """

    name: ClassVar[str] = "pearson-correlation"
    _scale_is_inert: ClassVar[str] = "a correlation does not depend on the scale"
    summary: ClassVar[str] = "correlation with the class"
    formula: ClassVar[str] = "|corr(x, ±1)|; of more than two classes √(between / total)"
    proves: ClassVar[str] = "nothing: no objective"
    cost: ClassVar[str] = "one read"

    def sentence(self) -> Sentence:
        return ClassCorrelation(), IndividualRanking()

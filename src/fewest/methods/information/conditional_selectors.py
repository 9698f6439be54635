"""Selectors that see what two features share with the class only together: JMI, CMIM, JMIM and DISR."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import chi2

from fewest.methods.information.conditional_information import (
    ConditionalInformation,
    ConditionalInformationObjective,
)
from fewest.methods.information.selectors import CategoricalSelector
from fewest.protocols import Sentence
from fewest.searches.greedy import GreedyForward
from fewest.selection import Selection

#: The relevance of the first feature is called chance where its probability, times the number of columns, is higher.
_LEVEL = 0.05


@dataclass(eq=False, repr=False)
class ConditionalSelector(CategoricalSelector):
    """A selector that looks at each feature together with one selected feature at a time.

    Parameters
    ----------
    first : {"relevance", "pair"}, default="relevance"
        Which feature comes first: that of the highest I(x; c), as published, or one of the two with the highest
        I(x, s; c) of all pairs, which finds features that share nothing with the class alone (an XOR). It takes a
        count of every pair of columns.
    """

    cost: ClassVar[str] = "one read, rows as bytes; two of a large stream, rows as bits"
    proves: ClassVar[str] = "nothing: greedy"
    _form: ClassVar[str]

    _: KW_ONLY
    first: str = "relevance"

    def sentence(self) -> Sentence:
        criterion = ConditionalInformation(self._form, self._discretizer(), self.correction, first=self.first)
        return criterion, GreedyForward()

    def _fit_notes(self, selection: Selection, objective: object) -> tuple[str, ...]:
        if not isinstance(objective, ConditionalInformationObjective) or self.first == "pair" or not selection.indices:
            return ()
        table, column = objective.table, selection.indices[0]
        if objective.n_columns < 2 or not table.is_observed[column] or table.is_corrected[column]:
            return ()
        n_free = (len(table.category_counts(column)) - 1) * (np.count_nonzero(table.class_weights) - 1)
        probability = float(chi2.sf(2 * table.n_rows * table.relevance[column], max(n_free, 1)))
        if probability * objective.n_columns <= _LEVEL:
            return ()
        return (
            "no feature shares more with the class alone than one of this number of random ones would; first='pair' "
            "looks at all pairs for the first feature",
        )


@dataclass(eq=False, repr=False)
class JMI(ConditionalSelector):
    """Select features whose joint information with the class, in pairs with those selected, is highest.

    The most relevant feature is taken first, then, one after the other, the one with the largest sum over selected s of
    I(x, s; c), where I is the mutual information in nats.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features_in_,)
        The value of a column when it was taken; NaN for those that were not.

    See Also
    --------
    MRMR : Relevance and redundancy without what two features share with the class only together.
    DISR : The same terms, each over its joint entropy.
    JMIM : The least of the terms instead of their sum.
    MaxDependency : All selected features together, which needs more rows.

    Notes
    -----
    Ranks as I(x; c) - mean of I(x; s) + mean of I(x; s | c): mRMR with the third term that mRMR leaves out. Scores
    within 1e-12 of the highest are ties, and go to the lowest column. Does not see what three features share with the
    class only together.

    References
    ----------
    Yang and Moody (1999), Data visualization and feature selection: new algorithms for nongaussian data. NIPS 12.
    Brown, Pocock, Zhao and Luján (2012), Conditional likelihood maximisation: a unifying framework for information
    theoretic feature selection. JMLR 13, 27-66. https://www.jmlr.org/papers/v13/brown12a.html

    Examples
    --------
    >>> from fewest import JMI
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> JMI(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    name: ClassVar[str] = "jmi"
    summary: ClassVar[str] = "joint information with the class, in pairs with the selected features"
    formula: ClassVar[str] = "Σ over selected s of I(x, s; c)"
    _form: ClassVar[str] = "jmi"


@dataclass(eq=False, repr=False)
class CMIM(ConditionalSelector):
    """Select features that add information on the class to each selected feature alone.

    The most relevant feature is taken first, then, one after the other, the one with the largest
    min(I(x; c), least over selected s of I(x; c | s)), where I is the mutual information in nats.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features_in_,)
        The value of a column when it was taken; NaN for those that were not.

    See Also
    --------
    JMIM : The least joint information, which a feature without relevance can have too.
    JMI : A sum instead of the least.

    Notes
    -----
    A value can only fall as features are selected, so columns whose last known value cannot win are not evaluated; the
    answer is that of all. A feature is never better than its relevance: an XOR is seen only with first="pair", and then
    only its first column.

    References
    ----------
    Fleuret (2004), Fast binary feature selection with conditional mutual information. JMLR 5, 1531-1555.
    https://www.jmlr.org/papers/v5/fleuret04a.html

    Examples
    --------
    >>> from fewest import CMIM
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> CMIM(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    name: ClassVar[str] = "cmim"
    summary: ClassVar[str] = "the least information on the class that a feature adds to any selected one"
    formula: ClassVar[str] = "min(I(x; c), least over selected s of I(x; c | s))"
    _form: ClassVar[str] = "cmim"


@dataclass(eq=False, repr=False)
class JMIM(ConditionalSelector):
    """Select features whose least joint information with the class, with any selected feature, is highest.

    The most relevant feature is taken first, then, one after the other, the one with the largest least over selected s
    of I(x, s; c), where I is the mutual information in nats.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features_in_,)
        The value of a column when it was taken; NaN for those that were not.

    See Also
    --------
    JMI : The sum of the same terms.
    CMIM : The least of I(x; c | s) instead.

    Notes
    -----
    A value can only fall as features are selected, so columns whose last known value cannot win are not evaluated; the
    answer is that of all. The term of a selected feature of little relevance is low for all others: after a poor choice
    the rest differ little.

    References
    ----------
    Bennasar, Hicks and Setchi (2015), Feature selection using joint mutual information maximisation. Expert Systems
    with Applications 42(22), 8520-8532. https://doi.org/10.1016/j.eswa.2015.07.007

    Examples
    --------
    >>> from fewest import JMIM
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> JMIM(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    name: ClassVar[str] = "jmim"
    summary: ClassVar[str] = "the least joint information with the class, in pairs with the selected features"
    formula: ClassVar[str] = "least over selected s of I(x, s; c)"
    _form: ClassVar[str] = "jmim"


@dataclass(eq=False, repr=False)
class DISR(ConditionalSelector):
    """Select features by double input symmetrical relevance: joint information with the class over joint entropy.

    The most relevant feature is taken first, then, one after the other, the one with the largest sum over selected s of
    I(x, s; c) / H(x, s, c), where I is the mutual information and H the entropy, in nats.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features_in_,)
        The value of a column when it was taken; NaN for those that were not.

    See Also
    --------
    JMI : The same terms, not normalised.

    Notes
    -----
    The joint entropy grows with the number of categories, so features of few categories are preferred, even constant
    ones to those that add some information and more entropy. Does not see what three features share with
    the class only together.

    References
    ----------
    Meyer and Bontempi (2006), On the use of variable complementarity for feature selection in cancer classification.
    https://doi.org/10.1007/11732242_9

    Examples
    --------
    >>> from fewest import DISR
    >>> from sklearn.datasets import load_wine
    >>> data = load_wine(as_frame=True)
    >>> DISR(n_features=3).fit(data.data, data.target).selection_.features
    ('flavanoids', 'color_intensity', 'proline')
    """

    name: ClassVar[str] = "disr"
    summary: ClassVar[str] = "joint information with the class over joint entropy, in pairs with the selected features"
    formula: ClassVar[str] = "Σ over selected s of I(x, s; c) / H(x, s, c)"
    _form: ClassVar[str] = "disr"

"""Kernel class separability: the trace of the between-class scatter in the space of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fewest.arrays import Floats
from fewest.errors import InvalidParameter
from fewest.methods.kernels.kernel_functions import Kernel, check_kernel
from fewest.methods.kernels.kernel_objective import GaussianObjective
from fewest.methods.kernels.normalised_scatter import LaplacianScatterObjective, NormalisedScatterObjective
from fewest.methods.kernels.scatter_objective import ScatterObjective, WeightedScatterObjective
from fewest.parameters import check_choice, check_count, check_not_negative
from fewest.statistics.class_moments import check_scale
from fewest.statistics.rows import Rows
from fewest.statistics.stratified_rows import StratifiedRows


class KernelScatterObjective(GaussianObjective, WeightedScatterObjective):
    """The value of columns, of subsets and of weighted columns, by the Gaussian kernel."""

    def __init__(self, rows: Rows | StratifiedRows, criterion: KernelScatter) -> None:
        super().__init__(rows, criterion.scale)
        self.criterion = criterion
        self.class_weight = np.bincount(rows.codes, rows.weights).astype(np.float64)
        if isinstance(rows, StratifiedRows):
            self.class_weight = self.rows.class_weight

    @property
    def column_distances(self) -> Floats:
        return self.rows.mean_distances


@dataclass(frozen=True)
class KernelScatter:
    """Score features by the trace of the between-class scatter in the space of a kernel (KCSM).

    tr S_B = sum_a Sum(K_aa)/n_a - Sum(K)/n, where K is the matrix of a normalised kernel over all n rows and K_aa that
    over the n_a rows of class a. It lies between 0 and n - sum_a n_a^2 / n. The width is the one with the highest
    value: eta = 1 / (2 width^2) from 2^-10 to 2^10 over the mean squared distance between two rows.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "rbf" is exp(-sum_f eta_f (x_f - z_f)^2), "laplacian" exp(-sum_f eta_f |x_f - z_f|). Other kernels, by their
        name in scikit-learn or as a function of two tables, are normalised, k(x, z) / sqrt(k(x, x) k(z, z)), and have
        neither weights nor their width searched.
    regularization : float, default=0.25
        Lambda, from 0 to below 1, for weights: (1 - lambda) tr S_B(eta) - lambda |eta - eta_0|^2, where eta_0 is the
        best eta that all columns share, at most 4 over the mean distance of the kernel between two rows.
    form : {"between", "ratio"}, default="between"
        "ratio" is tr S_B / tr S_W of K + ridge I.
    ridge : float, default=0.0
        What is added to the kernel of a row with itself; only the ratio depends on it.
    scale : {"std", "range", "symmetric"} or None, default="symmetric"
        As in ScatterTrace.
    kernel_params : dict or None, default=None
        Parameters of the kernel, such as {"gamma": 0.5}; a gamma fixes the width of "rbf" and "laplacian".
    sample : int or None, default=None
        The number of rows to use, drawn of every class in proportion: an unbiased estimate. With "rbf" only.
    random_state : int, default=0
        The seed of the sample, which the order of the rows does not change.

    See Also
    --------
    KernelSeparability : The selector with this criterion.
    TargetAlignment : The alignment of the kernel with the classes.
    KernelTrace : The same scatter at a fixed width.

    Notes
    -----
    Needs Rows, or StratifiedRows for a sample. A single column uses the rows that have it; subsets, weights and samples
    need complete rows. The paper's Eqs. 2 to 7 and 12, with the sign of Eq. 12 corrected.

    References
    ----------
    Wang, 2008. Feature Selection with Kernel Class Separability. https://doi.org/10.1109/TPAMI.2007.70799

    Examples
    --------
    >>> from fewest import FeatureSelector, GreedyForward, KernelScatter, scan
    >>> FeatureSelector(KernelScatter(), GreedyForward(lazy=False), n_features=3).fit(scan("wine")).selection_.features
    ('flavanoids', 'proline', 'od280/od315_of_diluted_wines')
    """

    kernel: str | Kernel = "rbf"
    regularization: float = 0.25
    form: str = "between"
    ridge: float = 0.0
    scale: str | None = "symmetric"
    kernel_params: Mapping[str, object] | None = None
    sample: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        check_kernel(self.kernel, self.kernel_params)
        check_scale(self.scale)
        check_not_negative("regularization", self.regularization, below=1)
        check_choice("form", self.form, ("between", "ratio"))
        check_not_negative("ridge", self.ridge)
        if self.sample is not None:
            check_count("sample", self.sample, 4, end=" or None")
            if not self.is_gaussian:
                raise InvalidParameter(f"sample needs the kernel 'rbf', got {self.kernel!r}. Use sample=None.")
        check_count("random_state", self.random_state, 0)

    @property
    def is_gaussian(self) -> bool:
        """Whether the kernel is the Gaussian whose width is searched."""
        return self.kernel == "rbf" and not (self.kernel_params or {}).get("gamma")

    @property
    def has_weights(self) -> bool:
        """Whether each column may have a width of its own."""
        is_laplacian = self.kernel == "laplacian" and (self.kernel_params or {}).get("gamma") is None
        return self.is_gaussian or is_laplacian

    @property
    def offers(self) -> frozenset[str]:
        subsets = {"n_columns", "score_features", "score_subset", "score_additions", "score_removals"}
        return frozenset(subsets | {"start_weights", "score_weights"} if self.has_weights else subsets)

    def statistic(self) -> Rows | StratifiedRows:
        return Rows() if self.sample is None else StratifiedRows(self.sample, self.random_state)

    def bind(self, rows: Rows | StratifiedRows) -> ScatterObjective:
        if self.is_gaussian:
            return KernelScatterObjective(rows, self)
        return LaplacianScatterObjective(rows, self) if self.has_weights else NormalisedScatterObjective(rows, self)

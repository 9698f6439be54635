"""Figure 1 and Table 5 of paper 2: the criterion against the width of its kernel, and its seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fewest import FisherScore, KernelSeparability, KolmogorovSmirnov, PearsonCorrelation, RadiusMargin
from fewest.arrays import Floats
from fewest.papers.claims import Above, NotBelow
from fewest.papers.declarations import Item, Picture
from fewest.papers.experiments.draws import Draws, ScoreOf
from fewest.papers.experiments.seconds import Seconds
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import numbers_of
from fewest.selectors.selector import Selector

_ROWS = tuple(str(n) for n in range(10, 55, 5))


@dataclass(frozen=True)
class Gaussian:
    """The Gaussian kernel of one width, for a selector that would choose the width itself."""

    sigma: float

    def __call__(self, X: Floats, Y: Floats) -> Floats:
        from sklearn.metrics.pairwise import rbf_kernel

        kernel: Floats = rbf_kernel(X, Y, gamma=1 / (2 * self.sigma**2))
        return kernel


_SIGMAS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
F1 = Item(
    name="F1",
    title="The criterion of one feature against the width of the kernel",
    claim="The value varies much with the width, and a poor width blurs the difference between good and bad features.",
    experiments=(
        Draws(
            draws={"52 features": Table("52-features", {"n_rows": 100, "n_noise": 1})},
            methods={
                f"σ = {sigma:g}": KernelSeparability(mode="individual", kernel=Gaussian(sigma)) for sigma in _SIGMAS
            },
            measures={"x1": ScoreOf("x1"), "noise": ScoreOf("x3")},
        ),
    ),
    claims=(
        Above(("x1", "σ = 0.2", "52 features"), ("x1", "σ = 10", "52 features")),
        Above(("x1", "σ = 0.2", "52 features"), ("noise", "σ = 0.2", "52 features")),
        NotBelow(("noise", "σ = 10", "52 features"), ("x1", "σ = 10", "52 features"), 1.0),
        NotBelow(("noise", "σ = 0.01", "52 features"), ("x1", "σ = 0.01", "52 features"), 1.0),
    ),
    minutes=0.5,
    unit="",
    picture=Picture(line=0, at=1, x="σ", y="tr S_B"),
    choices=(
        "The paper does not say which feature it draws; we take x1, and one of noise besides, of 100 rows scaled to "
        "[−1, 1].",
        "Blurred is a difference below 1, of 12 at the best width: settled after a first run. With a width that nears "
        "zero every feature of distinct values reaches the number of classes minus one.",
    ),
)


def _seconds(mode: str, methods: Mapping[str, Selector]) -> Seconds:
    return Seconds(
        draws={f"{mode}, {n} rows": Table("52-features", {"n_rows": int(n), "shuffle": True}) for n in _ROWS},
        methods=methods, sizes=(2,), quick_draws=tuple(f"{mode}, {n} rows" for n in (10, 30, 50)),
    )  # fmt: skip


_KCSM, _RMB = "kernel class separability", "radius-margin bound"
T5 = Item(
    name="T5",
    title="Seconds to select two of 52 features, against the number of rows",
    claim="In all three modes kernel class separability is almost always faster than the radius-margin bound.",
    experiments=(
        _seconds(
            "BIN",
            {
                "correlation": PearsonCorrelation(),
                "class separability": FisherScore(),
                "Kolmogorov-Smirnov": KolmogorovSmirnov(),
                _KCSM: KernelSeparability(mode="individual"),
                _RMB: RadiusMargin(mode="individual"),
            },
        ),
        _seconds("SEQ", {_KCSM: KernelSeparability(mode="forward"), _RMB: RadiusMargin(mode="forward")}),
        _seconds("KPO", {_KCSM: KernelSeparability(regularization=0.0), _RMB: RadiusMargin(regularization=0.0)}),
    ),
    numbers=numbers_of(
        """
        | correlation | class separability | Kolmogorov-Smirnov | kernel class separability | radius-margin bound
        BIN, 10 rows | 0.06 | 0.16 | 0.07 | 0.08 | 0.54
        BIN, 15 rows | 0.06 | 0.09 | 0.15 | 0.22 | 1.22
        BIN, 20 rows | 0.06 | 0.10 | 0.09 | 0.36 | 1.96
        BIN, 25 rows | 0.06 | 0.10 | 0.06 | 0.57 | 2.50
        BIN, 30 rows | 0.06 | 0.10 | 0.06 | 0.83 | 2.97
        BIN, 35 rows | 0.06 | 0.11 | 0.06 | 1.07 | 4.11
        BIN, 40 rows | 0.06 | 0.12 | 0.07 | 1.50 | 4.04
        BIN, 45 rows | 0.06 | 0.13 | 0.06 | 1.81 | 6.78
        BIN, 50 rows | 0.06 | 0.07 | 0.06 | 2.29 | 8.42
        SEQ, 10 rows | - | - | - | 0.16 | 1.06
        SEQ, 15 rows | - | - | - | 0.43 | 2.42
        SEQ, 20 rows | - | - | - | 0.72 | 3.89
        SEQ, 25 rows | - | - | - | 1.13 | 4.95
        SEQ, 30 rows | - | - | - | 1.65 | 5.88
        SEQ, 35 rows | - | - | - | 2.12 | 8.15
        SEQ, 40 rows | - | - | - | 2.97 | 8.02
        SEQ, 45 rows | - | - | - | 3.59 | 13.44
        SEQ, 50 rows | - | - | - | 4.53 | 16.67
        KPO, 10 rows | - | - | - | 0.0029 | 0.0054
        KPO, 15 rows | - | - | - | 0.0073 | 0.0151
        KPO, 20 rows | - | - | - | 0.0115 | 0.0172
        KPO, 25 rows | - | - | - | 0.0193 | 0.0235
        KPO, 30 rows | - | - | - | 0.0228 | 0.0409
        KPO, 35 rows | - | - | - | 0.0394 | 0.0845
        KPO, 40 rows | - | - | - | 0.0497 | 0.0706
        KPO, 45 rows | - | - | - | 0.0899 | 0.1084
        KPO, 50 rows | - | - | - | 0.0979 | 0.0750
        """,
        is_compared=False,
    ),
    claims=tuple(
        Above((f"{mode}, {n} rows", _RMB), (f"{mode}, {n} rows", _KCSM))
        for mode in ("BIN", "SEQ", "KPO")
        for n in ((10, 30, 45) if mode == "KPO" else (10, 30, 50))
    ),
    minutes=1,
    unit="s",
    choices=(
        "The unit of the last two rows of the paper is milliseconds. All methods are ours, and compiled; the bound is "
        "minimised with analytic gradients. With KPO and 50 rows the paper's own numbers are the other way round: the "
        "claim is about 45, which quick runs leave out.",
    ),
)

"""Each kind of experiment on tiny tables, against what can be counted by hand."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import wilcoxon
from sklearn.metrics import f1_score as sklearn_f1
from sklearn.naive_bayes import GaussianNB

from fewest import FisherScore, KernelSeparability, MaxRelevance, PearsonCorrelation, SVMWeights
from fewest.errors import InvalidInput
from fewest.papers.claims import Above
from fewest.papers.declarations import Item, Paper, Picture, Run
from fewest.papers.experiments.draws import Draws, FrequencyCorrelation, NearlyBest, ScoreOf, ShareOfWeights
from fewest.papers.experiments.f1_scores import MACRO, MICRO, F1Scores, f1_score
from fewest.papers.experiments.known_tables import KNOWN_TABLES
from fewest.papers.experiments.part_sets import PartSets
from fewest.papers.experiments.rank_tests import BY_TABLE, CELLS, PRINTED, MeasuredRanks, PrintedRanks
from fewest.papers.experiments.seconds import Seconds
from fewest.papers.experiments.splits import Splits
from fewest.papers.experiments.stored_tables import StoredTable
from fewest.papers.experiments.tables import Table
from fewest.papers.experiments.wrappers import ERROR, FEATURES, Wrappers
from fewest.papers.kernel_separability.widths import Gaussian
from fewest.papers.numbers import Measurement, Number, numbers_of
from fewest.papers.pictures import drawn
from fewest.papers.runner import _folder_of_this_process, run_item
from fewest.papers.verdicts import CellVerdict

X = np.array([[0, 3, 0, 1], [0, 4, 0, 1], [2, 0, 0, 1], [3, 0, 1, 1], [0, 5, 0, 1], [1, 0, 0, 1]] * 4, dtype=float)
Y = np.array([0, 0, 1, 2, 0, 1] * 4)


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A folder, and a function that stores arrays there as a known table."""

    def stored(name, **arrays):
        path = tmp_path / f"{name}.npz"
        np.savez_compressed(path, **arrays)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        monkeypatch.setitem(KNOWN_TABLES, name, StoredTable(name, (len(Y), X.shape[1]), digest, "a drawer"))
        return Run(data=tmp_path)

    return stored


def csr(matrix):
    own = sparse.csr_matrix(matrix)
    return {"data": own.data, "indices": own.indices, "indptr": own.indptr, "shape": np.array(own.shape)}


def test_a_table_of_mostly_zeros_is_read_as_it_is_stored(store):
    run = store("texts", **csr(X), y=Y)
    data = Table("texts").load(run)
    assert sparse.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), X)
    (run.data / "texts.npz").write_bytes(b"other")
    with pytest.raises(InvalidInput, match="is not the table texts"):
        Table("texts").load(run)


def test_parts_labels_and_joined_classes(store):
    train = np.arange(len(Y)) < 10
    run = store("parted", X=X, y=Y, other=Y[::-1], class_names=np.array(["a", "b", "c"]), train=train)
    assert Table("parted", part="train").load(run).y.tolist() == list(np.array(["a", "b", "c"])[Y[:10]])
    assert len(Table("parted", part="test").load(run).y) == len(Y) - 10
    assert Table("parted", labels="other").load(run).y.tolist() == Y[::-1].tolist()
    assert set(Table("parted", min_rows=5).load(run).y) == {"a", "b"}
    joined = Table("parted", merge={"b or c": ("b", "c")}).load(run).y
    assert joined.tolist() == ["a" if one == 0 else "b or c" for one in Y]


def test_columns_and_rows_are_left_out(store):
    values = np.array([[1.0, 5.0, np.nan], [1.0, 5.0, 2.0], [1.0, 6.0, 3.0], [2.0, 6.0, 4.0], [2.0, 6.0, np.nan]])
    run = store("holes", X=values, y=np.array([0, 1, 0, 1, 1]), feature_names=np.array(["a", "b", "c"]))
    assert len(Table("holes", missing="drop").load(run).y) == 3
    # Without the column of the holes every row is complete.
    data = Table("holes", without=("c",), missing="drop").load(run)
    assert data.feature_names == ["a", "b"]
    np.testing.assert_array_equal(data.X, values[:, :2])
    # "5" in the column b, and "2" in the column a, are of two rows each.
    data = Table("holes", without=("c",), rare_values=3).load(run)
    np.testing.assert_array_equal(data.X, values[[2], :2])
    assert data.y.tolist() == [0]
    with pytest.raises(InvalidInput, match="holes has no column 'd'"):
        Table("holes", without=("d",)).load(run)


def test_terms_of_every_text_are_left_out(store):
    counts = X.copy()
    counts[:, 3] = 2
    for arrays in (csr(counts), {"X": counts}):
        run = store("shared", **arrays, y=Y)
        data = Table("shared", shared_terms="drop").load(run)
        assert data.feature_names == ["x1", "x2", "x3"]
        kept = data.X.toarray() if sparse.issparse(data.X) else data.X
        np.testing.assert_array_equal(kept, counts[:, :3])


def test_states_are_cut_at_the_mean_and_a_standard_deviation(store):
    run = store("plain", X=np.array([[0.0], [1.0], [2.0], [9.0]]), y=np.array([0, 1, 0, 1]))
    # Mean 3, standard deviation 4.08.
    assert Table("plain", states="mean").load(run).X.ravel().tolist() == [-1, -1, -1, 1]
    assert Table("plain", states="sigma").load(run).X.ravel().tolist() == [0, 0, 0, 1]


def test_noisy_columns_are_the_same_in_both_parts_and_keep_their_values(store):
    random = np.random.default_rng(0)
    many = random.normal(size=(40, 10))
    run = store("noisy", X=many, y=np.arange(40) % 2, train=np.arange(40) < 25)
    changed = []
    for part, rows in (("train", slice(25)), ("test", slice(25, 40))):
        found = Table("noisy", part=part, noisy=0.3).load(run).X
        changed.append(np.flatnonzero((found != many[rows]).any(axis=0)).tolist())
        np.testing.assert_array_equal(np.sort(found, axis=0), np.sort(many[rows], axis=0))
    assert changed[0] == changed[1]
    assert len(changed[0]) == 3


def test_measures_of_weights(store):
    run = store("texts", **csr(X), y=Y)
    measures = {
        "x2": ScoreOf("x2"), "share": ShareOfWeights(1, 2), "near": NearlyBest(0.5),
        "TF": FrequencyCorrelation("occurrences"), "DF": FrequencyCorrelation("texts"),
    }  # fmt: skip
    found = Draws({"all": Table("texts")}, {"r": PearsonCorrelation()}, measures, n_draws=2).run(run)
    scores = PearsonCorrelation(n_features=4).fit(X, Y).scores_
    cells = {key[0]: cell.mean for key, cell in found.cells.items()}
    assert cells["x2"] == pytest.approx(scores[1])
    assert cells["share"] == pytest.approx(100 * scores[:2].sum() / scores.sum())
    assert cells["near"] == (scores >= scores.max() / 2).sum()
    from scipy.stats import spearmanr

    assert cells["TF"] == pytest.approx(100 * spearmanr(scores, X.sum(axis=0)).statistic)
    assert cells["DF"] == pytest.approx(100 * spearmanr(scores, (X > 0).sum(axis=0)).statistic)


def test_seconds_are_measured_and_not_compared():
    experiment = Seconds({"iris": Table("iris")}, {"a": FisherScore(), "b": MaxRelevance()}, (1, 2), n_draws=2)
    item = Item(
        "T1", "-", "-.", (experiment,), numbers_of("| a\n1 feature · iris | 99", is_compared=False),
        (Above(("1 feature", "iris", "b"), ("1 feature", "iris", "a"), -1000.0),), unit="s",
    )  # fmt: skip
    paper = Paper("tiny", 9, "Tiny", "Nobody", "Nowhere", "10.1000/1", "mrmr", (item,))
    found = experiment.run(Run())
    assert list(found.cells) == experiment.measured_keys()
    assert all(cell.mean > 0 for cell in found.cells.values())
    report = run_item(paper, item, Run())
    line = next(one for one in report.lines if one.label == "1 feature, iris, a")
    assert (line.paper, line.agrees, line.difference) == ("99", "", "")
    assert report.reason == "1 of 1 claim holds."


def test_one_resample_is_drawn_without_an_interval():
    cells = [CellVerdict((f"{n} rows", "a"), None, Measurement((2.0,), 0.0, math.inf), None) for n in (1, 2)]
    svg = drawn(Picture(line=1, at=0, x="rows", y="s"), "seconds", cells)
    assert "inf" not in svg
    assert 'class="l"' in svg


def test_f1_is_that_of_all_tested_rows():
    counts = np.array([[5, 1, 0], [2, 3, 0], [0, 0, 0]])
    real = np.repeat([0, 0, 1, 1], [5, 1, 2, 3])
    predicted = np.repeat([0, 1, 0, 1], [5, 1, 2, 3])
    assert f1_score(counts, MACRO) == pytest.approx(100 * sklearn_f1(real, predicted, average="macro"))
    assert f1_score(counts, MICRO) == pytest.approx(100 * sklearn_f1(real, predicted, average="micro"))


def test_f1_by_size_and_at_the_best_size(store):
    run = store("texts", **csr(X), y=Y)
    curve = F1Scores({"t": Table("texts")}, {"r": PearsonCorrelation()}, (1, 2), "term", "3-fold", classifier="nb")
    found = curve.run(run)
    assert list(found.cells) == curve.measured_keys()
    assert (MACRO, "t", "1 term", "r") in found.cells
    best = F1Scores({"t": Table("texts")}, {"r": PearsonCorrelation()}, (1, 2), outer="3-fold", is_best=True)
    cells = best.run(run).cells
    assert list(cells) == best.measured_keys()
    assert cells[MACRO, "t", "r"].honest is not None


def test_ranks_of_printed_and_of_measured_cells():
    numbers = numbers_of("| A | B\nt1 · x | 1 | 3\nt1 · y | 2 | 2\nt2 · x | 4 | 3\nt2 · y | 5 | 9\nt3 · x | 5 | -")
    found = PrintedRanks(numbers, "A", ("B",)).run(Run()).cells[PRINTED, "B"]
    assert found.mean == pytest.approx(100 * wilcoxon([-2, 1, -4], method="approx").pvalue)
    splits = Splits(
        {"iris": Table("iris"), "wine": Table("wine")}, {"A": FisherScore(), "B": FisherScore()}, {"NB": "nb"}, (1,),
        ("table", "classifier", "method"), n_splits=2,
    )  # fmt: skip
    ranks = MeasuredRanks((splits,), "A", ("B",))
    cells = ranks.run(Run()).cells
    assert set(cells) == {(CELLS, "B"), (BY_TABLE, "B")}
    # The same method twice: no cell differs.
    assert cells[CELLS, "B"].mean == 100.0


def test_items_of_one_command_share_trials():
    splits = Splits({"iris": Table("iris")}, {"A": FisherScore()}, {"NB": "nb"}, (1,), ("method",), n_splits=2)
    item = Item("T1", "-", "-.", (splits,), {("A",): Number(5.0)})
    paper = Paper("tiny", 9, "Tiny", "Nobody", "Nowhere", "10.1000/1", "mrmr", (item,))
    first = run_item(paper, item, Run(seed=5))
    stored = {path: path.stat().st_mtime_ns for path in (_folder_of_this_process() / "trials").rglob("*.*")}
    assert stored
    other = Item("T2", "-", "-.", (splits,), {("A",): Number(5.0)})
    assert run_item(paper, other, Run(seed=5)).lines == first.lines
    again = {path: path.stat().st_mtime_ns for path in (_folder_of_this_process() / "trials").rglob("*.*")}
    assert again == stored


def test_groups_of_the_training_part_are_tallied(store):
    random = np.random.default_rng(0)
    y = np.arange(120) % 2
    values = random.normal(size=(120, 6))
    values[:, 2] += 4 * y
    run = store("parts", X=values, y=y, train=np.arange(120) < 80)
    experiment = PartSets(
        Table("parts"),
        {
            "kernel": {"weak": KernelSeparability(regularization=0.0), "strong": KernelSeparability()},
            "noise": {"": PearsonCorrelation(forbid=[2])},
        },
        sizes=(1, 2), rows=(8, 10), label="set", n_train=60, n_groups=3, per_class=True,
    )  # fmt: skip
    found = experiment.run(run)
    assert list(found.cells) == experiment.measured_keys()
    assert found.cells["set", "mean error", "kernel", "1"].mean < 15
    assert found.cells["set", "mean error", "noise", "1"].mean > 30
    assert found.cells["set", "groups kernel better", "1"].mean == 100.0
    assert "8-10 rows a class, 60 to train on, 40 to test" in found.rows


def test_wrappers_among_the_candidates_of_filters():
    experiment = Wrappers(
        {"iris": Table("iris")}, {"Fisher": FisherScore(), "MaxRel": MaxRelevance()},
        {"NB": "nb", "own": GaussianNB()}, n_candidates=3, n_folds=4, max_rows=90,
    )  # fmt: skip
    found = experiment.run(Run())
    assert list(found.cells) == experiment.measured_keys()
    cell = found.cells["iris", "NB", "forward", ERROR, "Fisher"]
    assert cell.mean < 15
    assert len(cell.values) == 90
    assert cell.honest is not None
    assert found.cells["iris", "NB", "backward", ERROR, "Fisher"].honest is None
    assert 1 <= found.cells["iris", "own", "forward", FEATURES, "MaxRel"].mean <= 3


def test_the_kernel_of_one_width():
    rows = np.array([[0.0], [2.0]])
    np.testing.assert_allclose(Gaussian(1.0)(rows, rows), [[1, np.exp(-2)], [np.exp(-2), 1]])


def test_numbers_that_are_not_compared_and_labels_in_parts():
    found = numbers_of("| A\nx · y | 0.5", is_compared=False)
    assert found == {("x", "y", "A"): Number(0.5, decimals=1, is_compared=False)}


def test_a_method_that_fails_is_left_out_of_f1_with_the_reason():
    methods = {"bad": SVMWeights(C=1e300, scale=None), "Fisher": FisherScore()}
    found = F1Scores({"iris": Table("iris")}, methods, (2,), "term", "3-fold", classifier="nb").run(Run())
    assert "Fisher" in {key[-1] for key in found.cells}
    assert "bad" not in {key[-1] for key in found.cells}
    (note,) = found.notes
    assert note.startswith("iris: bad was left out: ")

"""The runner on two tiny experiments: what is printed, stored, continued and refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fewest import FisherScore, KernelSeparability, PearsonCorrelation
from fewest.errors import InvalidInput, UnreadableFile
from fewest.papers import pages
from fewest.papers.claims import Above
from fewest.papers.declarations import Item, Paper, Run, Unbuilt
from fewest.papers.experiments.draws import Draws, FindsTruth, InOrder, TrueColumnsAuc
from fewest.papers.experiments.known_tables import KNOWN_TABLES
from fewest.papers.experiments.selection_sets import SelectionSets
from fewest.papers.experiments.splits import Splits
from fewest.papers.experiments.stored_tables import StoredTable
from fewest.papers.experiments.tables import Table
from fewest.papers.numbers import Number, numbers_of
from fewest.papers.runner import longest_stored, run_item

FOUND = Item(
    "T1",
    "Both true columns",
    "The kernel finds both.",
    (
        Draws(
            {"5": Table("52-features", {"n_rows": 60, "n_noise": 5, "shuffle": True})},
            {"kernel": KernelSeparability(), "Pearson": PearsonCorrelation()},
            {"": FindsTruth()},
            n_draws=6,
            n_quick=5,
        ),
    ),
    numbers_of("| 5\nkernel | 100±20\nPearson | 0±40"),
    (Above(("kernel", "5"), ("Pearson", "5")),),
)
ERRORS = Item(
    "T2",
    "Errors on iris",
    "Two features err less than one.",
    (
        Splits(
            {"iris": Table("iris")},
            {"Fisher": FisherScore()},
            {"NB": "nb"},
            (1, 2),
            ("size", "method"),
            n_splits=4,
            n_quick=2,
        ),
    ),
    {("1 feature", "Fisher"): Number(5.0, 5.0)},
    others=("F9",),
)
PAPER = Paper(
    "tiny", 9, "Tiny", "Nobody", "Nowhere", "10.1000/1", "mrmr", (FOUND, ERRORS, Unbuilt("F1", "-", "-", "no data"))
)


def test_an_item_prints_paper_ours_difference_and_verdict():
    report = run_item(PAPER, FOUND, Run())
    lines = report.to_text().splitlines()
    assert lines[:2] == ["tiny T1: Both true columns", "The kernel finds both."]
    assert lines[3].split() == ["paper", "ours", "difference", "agrees"]
    assert lines[4].split()[:5] == ["kernel,", "5", "100", "±", "20"]
    assert report.verdict == "reproduces"
    assert "fewest reproduce tiny --item T1 · full run · seed 0 · 6 draws of 60 rows" in lines[-1]


def test_the_same_seed_gives_the_same_digits():
    first, second = (run_item(PAPER, ERRORS, Run(quick=True, seed=3)) for _ in range(2))
    assert first.lines == second.lines
    assert first.reason == second.reason
    assert run_item(PAPER, ERRORS, Run(quick=True, seed=4)).lines != first.lines


def test_a_run_is_continued_from_what_is_stored(tmp_path):
    done = []
    report = run_item(PAPER, FOUND, Run(quick=True, advance=done.append), tmp_path)
    assert len(done) == 2
    again = run_item(PAPER, FOUND, Run(quick=True, advance=done.append), tmp_path)
    assert again == report
    assert len(done) == 2
    # Another seed, or a full run, is another run.
    run_item(PAPER, FOUND, Run(quick=True, seed=1, advance=done.append), tmp_path)
    assert len(done) == 4
    assert longest_stored(tmp_path, PAPER, ERRORS, Run()) is None
    full = run_item(PAPER, FOUND, Run(seed=1), tmp_path)
    assert longest_stored(tmp_path, PAPER, FOUND, Run(seed=1)) == full


def test_verdicts_of_stored_measurements_are_computed_anew(tmp_path):
    run_item(PAPER, FOUND, Run(quick=True), tmp_path)
    (path,) = tmp_path.glob("*.json")
    content = json.loads(path.read_text("utf-8"))
    for cell in content["cells"]:
        cell.update(values=[50.0, 0.0, 0.0], low=0.0, high=60.0)
    path.write_text(json.dumps(content), "utf-8")
    assert run_item(PAPER, FOUND, Run(quick=True), tmp_path).verdict != "reproduces"
    path.write_text("{}", "utf-8")
    with pytest.raises(InvalidInput, match="damaged"):
        run_item(PAPER, FOUND, Run(quick=True), tmp_path)


def test_accuracy_is_what_error_leaves_and_the_least_error_is_honest_beside():
    table, methods, classifiers = {"iris": Table("iris")}, {"Fisher": FisherScore()}, {"NB": "nb"}
    shared = dict(n_splits=3, test_share=0.3)
    error = Splits(table, methods, classifiers, (1, 4), ("size", "method"), **shared).run(Run())
    accuracy = Splits(table, methods, classifiers, (1, 4), ("size", "method"), is_accuracy=True, **shared).run(Run())
    for key, cell in error.cells.items():
        np.testing.assert_allclose(np.add(cell.values, accuracy.cells[key].values), 100.0)
    least = Splits(table, methods, classifiers, (1, 4), ("size", "method"), least={"any": 4}, **shared).run(Run())
    cell = least.cells["any", "Fisher"]
    np.testing.assert_allclose(cell.values, np.minimum(*(one.values for one in error.cells.values())))
    assert cell.honest >= cell.mean


def test_selecting_on_all_rows_is_shown_beside_the_honest_error():
    table = {"noise": Table("52-features", {"n_rows": 40, "n_noise": 50}, shuffle=True)}
    experiment = Splits(
        table, {"Fisher": FisherScore()}, {"NB": "nb"}, (5,), ("method",), n_splits=5, selects_on_all_rows=True
    )
    cell = experiment.run(Run()).cells[("Fisher",)]
    assert cell.honest > cell.mean  # labels are shuffled: what is promised is optimism


def test_every_draw_is_split_once_where_draws_are_fresh():
    table = {"toy": Table("toy-xyz", {"n_rows": 60})}
    shared = dict(n_splits=6, test_share=0.5, is_accuracy=True)
    experiment = Splits(table, {"Fisher": FisherScore()}, {"SVM": "svm"}, (1,), ("method",), is_fresh=True, **shared)
    found = experiment.run(Run())
    assert found.rows == "toy 60 rows, 6 draws, each split once, 0.5 of each class tested"
    assert found.cells[("Fisher",)].shared == 0.0
    assert len(set(found.cells[("Fisher",)].values)) > 1


def test_groups_to_select_on_are_tallied():
    experiment = SelectionSets(
        {"20": (20, 3)}, {"kernel": KernelSeparability(), "Pearson": PearsonCorrelation()}, n_groups=3
    )
    experiment = SelectionSets(experiment.columns, experiment.methods, "nb", n_groups=3, n_train=30, n_test=60)
    found = experiment.run(Run())
    assert list(found.cells) == experiment.measured_keys()
    outcomes = [found.cells[f"groups kernel {one}", "20"].mean for one in ("better", "worse", "no difference")]
    assert sum(outcomes) == pytest.approx(100.0)


def test_probes_are_ranked_below_columns_that_carry_the_class():
    methods = {"Fisher": FisherScore(scale=None)}
    auc = {label: TrueColumnsAuc() for label in ("",)}
    found = Draws({"iris": Table("iris")}, methods, auc, train_share=0.8, probes=10, n_draws=3).run(Run())
    assert found.cells["Fisher", "iris"].mean == 100.0
    order = ("petal length (cm)", "petal width (cm)")
    either = Draws({"iris": Table("iris")}, methods, {"": InOrder(order), "back": InOrder(order[::-1])}, n_draws=2)
    cells = either.run(Run()).cells
    assert cells["Fisher", "iris"].mean + cells["back", "Fisher", "iris"].mean == 100.0


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A known table in a folder of its own."""
    path = tmp_path / "tiny.npz"
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 3)), np.arange(40) % 2
    X[::2, 1] += 3
    X[0, 0] = np.nan
    np.savez_compressed(path, X=X, y=y, class_names=np.array(["a", "b"]))
    import hashlib

    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    table = StoredTable("tiny", (40, 3), digest, "a drawer")
    monkeypatch.setitem(KNOWN_TABLES, "tiny", table)
    return tmp_path


def test_a_stored_table_is_read_from_the_folder(stored):
    data = Table("tiny", missing="median").load(Run(data=stored))
    assert data.X.shape == (40, 3)
    assert not np.isnan(data.X).any()
    assert set(data.y) == {"a", "b"}
    assert len(Table("tiny", missing="drop").load(Run(data=stored)).y) == 39
    assert len(Table("tiny", missing="drop", hide=0.5).load(Run(data=stored)).y) == 29


def test_a_changed_table_is_refused(stored):
    path = stored / "tiny.npz"
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(InvalidInput, match=r"is not the table tiny .* a drawer; .*--data"):
        Table("tiny").load(Run(data=stored))


def test_a_table_that_is_not_there_is_asked_for(tmp_path):
    table = StoredTable("absent", (2, 2), "0" * 64, "a drawer")
    with pytest.raises(UnreadableFile, match=r"absent \(2 × 2\) is needed, and there is no absent.npz .* a drawer"):
        table.load(tmp_path)


def test_experiments_without_their_table_are_left_out(stored, tmp_path):
    there = Draws({"iris": Table("iris")}, {"Fisher": FisherScore()}, {"": InOrder(("petal length (cm)",))}, n_draws=2)
    absent = Draws(
        {"tiny": Table("tiny", missing="median")}, {"Fisher": FisherScore()}, {"": InOrder(("x2",))}, n_draws=2
    )
    claim = Above(("Fisher", "tiny"), ("Fisher", "iris"), -150.0)
    number = {("Fisher", "iris"): Number(100.0, 100.0)}
    item = Item("T1", "-", "-.", (there, absent), number, (claim,))
    folder = tmp_path / "work"
    folder.mkdir()
    alone = run_item(PAPER, item, Run(), folder)
    assert alone.notes == ("Not run, for want of --data: tiny.",)
    # With the table there is more to run than was stored.
    both = run_item(PAPER, item, Run(data=stored), folder)
    assert not both.notes
    assert len(both.claims) == 1
    with pytest.raises(InvalidInput, match="is needed"):
        run_item(PAPER, Item("T1", "-", "-.", (absent,), {("Fisher", "tiny"): Number(1.0)}), Run())


def test_pages_have_what_was_run_and_say_what_was_not():
    report = run_item(PAPER, FOUND, Run(quick=True))
    reports = {("tiny", "T1"): report}
    page, front = pages.paper_page(PAPER, reports), pages.front_page([PAPER], reports)
    assert "| T1 | Both true columns | **reproduces** | quick |" in page
    assert "| T2, F9 | Errors on iris | not run yet |  |" in page
    assert "| F1 | - | no data |  |" in front
    assert "Of 1 item run (1 of them quickly, with fewer resamples) 1 reproduce, 0 in part, 0 not." in front
    html = pages.html_page([report], [PAPER])
    assert "<td>kernel, 5</td>" in html
    assert "Both true columns" in html


def test_items_are_found_by_any_of_their_names():
    assert PAPER.find(["f9"]) == (ERRORS,)
    assert PAPER.find([]) == (FOUND, ERRORS)
    with pytest.raises(InvalidInput, match="no item 'T7'"):
        PAPER.find(["T7"])
    with pytest.raises(InvalidInput, match="cannot be run: no data"):
        PAPER.find(["F1"])

"""Tables in partitions, on an engine that runs every task in this process and by pickle, as workers do."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from fewest import MRMR, FeatureSelector, FisherScore, MaxDependency, ReliefF, scan
from fewest.criteria import ClassCorrelation
from fewest.data.column_choice import ReadingRequest
from fewest.data.engines.engine import Answer, Engine, Failed, StoredParts, Sum, merge_parts, pack, tree
from fewest.data.engines.partitions import PartitionedSource
from fewest.errors import ContinuousTarget, InfiniteValue, InvalidInput
from fewest.searches import IndividualRanking
from fewest.statistics.class_moments import ClassMoments

from .odd_partitions import ANSWERED, REFUSED
from .partitioned_tables import COUNTED, SUMMED, answer_of, mixed_table, never_keeping_rows


class PickledParts(StoredParts):
    def __init__(self, engine, parts):
        self.engine, self.parts = engine, parts

    def ask(self, question):
        asked = pickle.loads(pickle.dumps(Answer(question)))
        self.engine.n_rounds += 1
        return self.engine._received(
            pack(tree([asked(i, part) for i, part in enumerate(self.parts)], merge_parts))
        ).values


class PickledEngine(Engine):
    """Partitions of a frame, each a table of Arrow; tasks and parts travel by pickle."""

    where = "the frame"

    def __init__(self, partitions):
        super().__init__()
        self.partitions = list(partitions)
        self.n_partitions, self.n_passes, self.n_rounds = len(self.partitions), 0, 0
        self.schema = self.partitions[0].schema

    def run(self, task, index):
        task = pickle.loads(pickle.dumps(task))
        table = self.partitions[index].select(
            [name for name in task.columns if name in self.partitions[index].column_names]
        )
        return pickle.loads(pack(task(index, table.to_batches(max_chunksize=37))))

    def merged(self, task):
        self.n_passes += 1
        return self._received(pack(tree([self.run(task, i) for i in range(self.n_partitions)], merge_parts)))

    def some(self, task, indices):
        return [self._received(pack(self.run(task, index))) for index in indices]

    def stored(self, task):
        parts = [self.run(task, index) for index in range(self.n_partitions)]
        for part in parts:
            if isinstance(part, Failed):
                raise part.reason(self.where)
        return PickledParts(self, parts)


def divided(frame, ends):
    """The engine of a frame whose partitions end at these rows."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    starts = [0, *ends]
    return PickledEngine([table.slice(a, b - a) for a, b in zip(starts, [*ends, len(frame)], strict=True)])


PLAIN = mixed_table().drop(columns=["weight", "word", "city"])


def source_of(engine, **options):
    return PartitionedSource(engine, ReadingRequest("label", **options))


FRAME = mixed_table()
WAYS = {
    "one": [],
    "halves": [450],
    "uneven, two of them empty": [1, 1, 300, 880, 880],
    "nine": list(range(100, 900, 100)),
}


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("ends", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("name", [*COUNTED, *SUMMED])
def test_counts_are_equal_to_the_bit_for_any_partitions_and_sums_within_rounding(name, ends, weight):
    frame, selector = FRAME if weight else FRAME.drop(columns="weight"), {**COUNTED, **SUMMED}[name](n_features=5)
    expected = answer_of(clone(selector).fit(scan(frame, "label", weight=weight)))
    found = answer_of(never_keeping_rows(selector).fit(source_of(divided(frame, ends), weight=weight)))
    assert found[0] == expected[0]
    tolerance = 0 if name in COUNTED else 1e-12
    assert_allclose(found[1], expected[1], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["mrmr", "fisher-markov"])
def test_the_size_by_cross_validation_is_that_of_a_stream(name, tmp_path):
    FRAME.to_parquet(tmp_path / "rows.parquet", index=False)
    kind = {**COUNTED, **SUMMED}[name]
    streamed = never_keeping_rows(kind(n_features="auto", max_features=6)).fit(
        scan(tmp_path / "rows.parquet", "label", weight="weight")
    )
    found = never_keeping_rows(kind(n_features="auto", max_features=6)).fit(
        source_of(divided(FRAME, [100, 500]), weight="weight")
    )
    assert found.selection_.features == streamed.selection_.features
    assert found.size_curve_ == streamed.size_curve_


def test_mrmr_asks_once_for_the_class_and_once_for_each_selected_feature():
    engine = divided(FRAME.drop(columns="weight"), [300, 600])
    never_keeping_rows(MRMR(n_features=5)).fit(source_of(engine))
    # The facts of the table and the column summaries; the last feature is asked for nothing.
    assert engine.n_passes == 2
    assert engine.n_rounds == 1 + 4


def test_small_tables_are_brought_to_one_place_for_methods_that_keep_rows():
    frame = FRAME.drop(columns=["weight", "word", "city"]).dropna()
    expected = ReliefF(n_features=3).fit(frame.drop(columns="label"), frame["label"])
    found = ReliefF(n_features=3).fit(source_of(divided(frame, [200, 400])))
    assert found.selection_.features == expected.selection_.features
    assert_array_equal(found.scores_, expected.scores_)


@pytest.mark.parametrize("ends", [[450], [1, 80, 81, 500, 880]])
def test_a_sample_is_drawn_where_the_rows_are_in_one_pass(ends):
    frame = FRAME.drop(columns="weight")
    order = np.random.default_rng(0).permutation(len(frame))
    for selector in (ReliefF(n_features=3, sample=100), MRMR(n_features="auto", sample=100, cv=2)):
        expected = clone(selector).fit(scan(frame, "label"))
        engine = divided(frame.iloc[order], ends)
        found = clone(selector).fit(source_of(engine))
        # The facts of the table, and the sample.
        assert engine.n_passes == 2
        assert engine.n_rounds == 0
        assert found.selection_.features == expected.selection_.features
        assert_allclose(found.scores_, expected.scores_, rtol=1e-12)
        assert found.notes_[0] == f"by a sample of 100 of {len(frame)} rows, every class in proportion"
    weighted = FRAME.fillna({"weight": 1})
    counted = MaxDependency(n_features=2, sample=100)
    found = clone(counted).fit(source_of(divided(weighted, ends), weight="weight"))
    assert_array_equal(found.scores_, clone(counted).fit(scan(weighted, "label", weight="weight")).scores_)


def test_joint_categories_need_rows_in_one_place():
    frame = FRAME.drop(columns="weight")
    expected = answer_of(MaxDependency(n_features=2).fit(scan(frame, "label")))
    found = answer_of(MaxDependency(n_features=2).fit(source_of(divided(frame, [450]))))
    assert found[0] == expected[0]


@pytest.mark.parametrize("selector", [ReliefF(n_features=2), MaxDependency(n_features=2)])
def test_more_rows_than_should_travel_are_refused_before_they_are_read(selector):
    engine = divided(PLAIN, [450])
    source = source_of(engine)
    engine.partitions, source.n_rows = [], 10**8
    with pytest.raises(
        InvalidInput, match=r"100,000,000 (rows )?of 9 columns take .* GiB; 128 MiB are allowed.*sample"
    ):
        selector.fit(source)


def test_rows_can_be_read_here_after_all():
    source = source_of(divided(FRAME, [7, 800])).with_text_as_codes()
    blocks = list(source.blocks([0, 9]))
    assert_array_equal(np.concatenate([block.values[:, 0] for block in blocks]), FRAME["x0"])
    assert [block.first_row for block in blocks][:2] == [0, 7]
    assert source.n_rows == len(FRAME)


def test_extreme_columns_are_rescaled_where_the_rows_are():
    rng = np.random.default_rng(0)
    labels = np.array(["a", "b"])[rng.integers(0, 2, 200)]
    frame = pd.DataFrame({"tiny": 1e-200 * (rng.normal(size=200) + 2 * (labels == "b")), "x": rng.normal(size=200)})
    frame["label"] = labels
    expected = FisherScore(n_features=1).fit(scan(frame, "label"))
    found = FisherScore(n_features=1).fit(source_of(divided(frame, [50])))
    assert found.selection_.features == expected.selection_.features == ("tiny",)
    assert_allclose(found.scores_, expected.scores_, rtol=1e-12)


def test_a_criterion_of_ones_own_runs_on_partitions():
    frame = FRAME.drop(columns=["weight", "word", "city"])
    chosen = FeatureSelector(ClassCorrelation(), IndividualRanking(), n_features=2)
    assert set(chosen.fit(source_of(divided(frame, [450]))).selection_.features) <= {"x0", "x1", "x2", "count"}


def engine_of(odd):
    return PickledEngine([pa.Table.from_pandas(part, preserve_index=False) for part in odd.partitions()])


@pytest.mark.parametrize("name", ANSWERED)
def test_odd_partitions_give_the_answer_of_one_table(name):
    odd = ANSWERED[name]
    odd.check_answer(source_of(engine_of(odd)))


@pytest.mark.parametrize("name", REFUSED)
def test_bad_partitions_are_refused_in_one_line(name):
    odd = REFUSED[name]
    odd.check_refusal("the frame", lambda: PartitionedSource(engine_of(odd), ReadingRequest(odd.target, **odd.options)))


def test_errors_that_others_go_by_keep_their_class():
    with pytest.raises(ContinuousTarget):
        source_of(divided(PLAIN.assign(label=PLAIN["x0"]), [450]))
    with pytest.raises(InfiniteValue, match=r"'x1'"):
        FisherScore().fit(source_of(engine_of(REFUSED["infinity"])))


def test_a_target_that_is_not_there_and_a_name_twice():
    engine = divided(PLAIN, [450])
    with pytest.raises(InvalidInput, match=r"There is no column 'lable' \(did you mean 'label'\?\) in the frame"):
        PartitionedSource(engine, ReadingRequest("lable"))
    engine.schema = pa.schema([*engine.schema, pa.field("x0", pa.float64())])
    with pytest.raises(InvalidInput, match=r"more than one column named 'x0'"):
        source_of(engine)


@pytest.mark.parametrize(
    "change",
    [
        lambda part: part.slice(0, 299),
        lambda part: part.set_column(part.column_names.index("x0"), "x0", [np.zeros(300)]),
        lambda part: part.set_column(part.column_names.index("label"), "label", [["u"] * 300]),
        lambda part: part.set_column(part.column_names.index("label"), "label", [["new"] * 300]),
        lambda part: part.set_column(part.column_names.index("word"), "word", [["new"] * 300]),
    ],
    ids=["fewer rows", "other numbers", "other labels", "a new label", "a new category"],
)
def test_rows_that_change_between_two_passes_are_refused(change):
    engine = divided(FRAME.drop(columns="weight"), [300, 600])
    source = source_of(engine)
    engine.partitions[1] = change(engine.partitions[1])
    with pytest.raises(
        InvalidInput, match=r"Partition 1 of the frame: its rows have changed since they were first read"
    ):
        never_keeping_rows(MRMR(n_features=2)).fit(source)


def test_an_unexpected_error_of_a_task_names_its_partition():
    class Broken(ClassMoments):
        def update(self, block):
            raise KeyError("oh no")

    source = source_of(divided(PLAIN, [450]))
    task_error = Failed.of(3, KeyError("oh no")).reason("the frame")
    assert str(task_error) == "Partition 3 of the frame: KeyError: 'oh no'"
    with pytest.raises(Exception, match=r"oh no|pickle"):
        source.collect(Broken())


def test_merging_leaves_the_parts_as_they_are():
    parts = [Sum(np.array([1, 2])), Sum(np.array([10, 20]))]
    assert_array_equal(merge_parts(parts).values, [11, 22])
    assert_array_equal(merge_parts(parts).values, [11, 22])
    failed = Failed(1, InvalidInput("no"))
    assert merge_parts([parts[0], failed, Failed(2, InvalidInput("later"))]) is failed


@pytest.mark.parametrize("n_parts", [1, 7, 8, 9, 64, 100])
def test_a_tree_keeps_the_order_of_the_parts(n_parts):
    assert tree([[i] for i in range(n_parts)], lambda some: [i for part in some for i in part]) == list(range(n_parts))

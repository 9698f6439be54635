"""A selector in ONNX gives what transform gives, alone and in a pipeline, without being registered."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest import MRMR, AutoSelector, FisherScore, StabilitySelection, TwoStage
from fewest.errors import FewestError, InvalidInput

skl2onnx = pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType  # noqa: E402

X, Y = load_breast_cancer(return_X_y=True)
X = X.astype(np.float32)


def run(model, table, **options):
    if not isinstance(table, dict):
        options.setdefault("X", table[:1])
        table = {"X": table}
    onnx = skl2onnx.to_onnx(model, **options)
    session = onnxruntime.InferenceSession(onnx.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, table), onnx


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(n_features=4),
        AutoSelector(cv=2, max_features=4),
        TwoStage(FisherScore(n_features=6), MRMR(n_features=3)),
        StabilitySelection(FisherScore(n_features=3), n_pairs=5),
    ],
    ids=lambda one: type(one).__name__,
)
def test_output_is_that_of_transform(selector):
    selector.fit(X, Y)
    (found,), onnx = run(selector, X)
    np.testing.assert_array_equal(found, selector.transform(X))
    assert [node.op_type for node in onnx.graph.node] == ["Gather"]
    assert onnx.graph.output[0].type.tensor_type.shape.dim[1].dim_value == selector.n_features_


@pytest.mark.parametrize("column", [0, 29])
def test_a_single_column_at_an_end(column):
    table = np.tile(np.float32(1), X.shape)
    table[:, column] = Y
    selector = FisherScore(n_features=1).fit(table, Y)
    (found,), _ = run(selector, table)
    np.testing.assert_array_equal(found, table[:, [column]])


@pytest.mark.parametrize(("dtype", "kind"), [(np.float64, None), (np.int64, Int64TensorType), (str, StringTensorType)])
def test_columns_keep_their_type(dtype, kind):
    table = np.random.default_rng(0).integers(0, 3, (60, 5))
    table = table.astype(dtype) if dtype is not str else table.astype(str).astype(object)
    selector = MRMR(n_features=2).fit(table, np.arange(60) % 2)
    options = {} if kind is None else {"initial_types": [("X", kind([None, 5]))]}
    (found,), _ = run(selector, table, **options)
    np.testing.assert_array_equal(found, table[:, selector.get_support()])


def test_pipeline_predicts_the_same():
    model = make_pipeline(StandardScaler(), MRMR(n_features=5), LogisticRegression()).fit(X, Y)
    (labels, probabilities), _ = run(model, X, options={"zipmap": False})
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-5)


def test_selector_within_a_column_transformer():
    chosen = ColumnTransformer([("few", FisherScore(n_features=2), list(range(10))), ("rest", "passthrough", [20])])
    (found,), _ = run(chosen.fit(X, Y), X)
    np.testing.assert_array_equal(found, chosen.transform(X))


def test_several_inputs_are_joined():
    selector = FisherScore(n_features=3).fit(X[:, :7], Y)
    types = [("first", FloatTensorType([None, 4])), ("second", FloatTensorType([None, 3]))]
    (found,), _ = run(selector, {"first": X[:, :4], "second": X[:, 4:7]}, initial_types=types)
    np.testing.assert_array_equal(found, selector.transform(X[:, :7]))


def test_what_has_no_onnx_is_refused():
    types = [("first", FloatTensorType([None, 4])), ("second", StringTensorType([None, 3]))]
    with pytest.raises(InvalidInput, match="FloatTensorType and StringTensorType"):
        skl2onnx.to_onnx(FisherScore(n_features=3).fit(X[:, :7], Y), initial_types=types)
    with pytest.raises(FewestError, match="not fitted yet"):
        skl2onnx.to_onnx(MRMR(), X[:1])
    none = FisherScore(n_features=1).fit(X, Y)
    none.support_ = np.zeros(30, bool)
    with pytest.raises(InvalidInput, match="No features were selected"):
        skl2onnx.to_onnx(none, X[:1])

"""A pipeline with a selector, in ONNX."""

import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest import MRMR

X, y = load_breast_cancer(return_X_y=True)
X = X.astype(np.float32)
model = make_pipeline(StandardScaler(), MRMR(n_features=5), LogisticRegression()).fit(X, y)
session = onnxruntime.InferenceSession(to_onnx(model, X[:1]).SerializeToString())
labels = session.run(None, {"X": X})[0]
assert (labels == model.predict(X)).all()

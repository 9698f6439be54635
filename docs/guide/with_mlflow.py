"""A pipeline with a selector and its selection, in MLflow."""

import mlflow
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest import MRMR, Selection

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), MRMR(n_features=5), LogisticRegression())
with mlflow.start_run() as run:
    mlflow.log_metric("error", 1 - cross_val_score(model, X, y).mean())  # selects anew inside every fold
    chosen = model.fit(X, y)[1].selection_
    mlflow.log_params(chosen.provenance.parameters)
    mlflow.log_text(chosen.to_json(), "selection.json")
    mlflow.log_text(chosen._repr_html_(), "selection.html")
    logged = mlflow.sklearn.log_model(model, name="model", serialization_format="cloudpickle")

again = mlflow.sklearn.load_model(logged.model_uri)
assert (again.predict(X) == model.predict(X)).all()
stored = mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/selection.json")
assert Selection.from_json(stored).features == chosen.features

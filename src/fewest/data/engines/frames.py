"""The engine behind a frame, found without importing any that is not in use."""

from __future__ import annotations

from fewest.data.engines.engine import Engine


def engine_of(data: object) -> Engine | None:
    """The engine that holds these rows; None where they are no frame of Dask or Spark."""
    package = type(data).__module__.partition(".")[0]
    if package in ("dask", "dask_expr") and hasattr(data, "to_delayed"):
        from fewest.data.engines.dask_engine import DaskEngine

        return DaskEngine(data)
    if package == "pyspark" and hasattr(data, "mapInArrow"):
        from fewest.data.engines.spark_engine import SparkEngine

        return SparkEngine(data)
    return None

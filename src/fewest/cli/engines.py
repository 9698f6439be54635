"""Files as the frame of an engine, on a cluster that is there or on one that is started here and closed again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from fewest.errors import InvalidParameter, UnreadableFile

if TYPE_CHECKING:
    F = TypeVar("F", bound=Callable[..., object])

ENGINES = ("dask", "spark")
_CSV = (".csv",)
_PARQUET = (".parquet", ".pq", ".parq")


def engine_options(command: F) -> F:
    """Add the options that choose an engine to a command."""
    for option in (
        click.option("--master", metavar="URL", help="The cluster of --engine spark, such as spark://host:7077."),
        click.option("--address", metavar="URL", help="The scheduler of --engine dask, such as tcp://host:8786."),
        click.option(
            "--engine", type=click.Choice(ENGINES), help="Collect on a cluster; without an address on a local one."
        ),
    ):
        command = option(command)
    return command


@contextmanager
def opened(
    data: Sequence[str], engine: str | None, address: str | None = None, master: str | None = None
) -> Iterator[object]:
    """The names of files as they are, or the frame of an engine that reads them."""
    if address is not None and engine != "dask":
        raise InvalidParameter(f"--address {address} is for --engine dask. Add that, or leave it out.")
    if master is not None and engine != "spark":
        raise InvalidParameter(f"--master {master} is for --engine spark. Add that, or leave it out.")
    if engine is None:
        yield data
        return
    kind = _kind_of(data, engine)
    with _dask_frame(data, kind, address) if engine == "dask" else _spark_frame(data, kind, master) as frame:
        yield frame


def _kind_of(data: Sequence[str], engine: str) -> str:
    """Whether these are Parquet or CSV files, which engines read by themselves."""
    for name in data:
        path = Path(name)
        suffix = path.suffix.lower()
        if not (path.exists() or "*" in name or "://" in name):
            raise UnreadableFile(f"There is no file {name!r}. Check the path.")
        if not (path.is_dir() or suffix in (*_CSV, *_PARQUET)):
            raise UnreadableFile(f"{name} is neither Parquet nor CSV, which --engine {engine} reads. Convert it first.")
    kinds = {"csv" if Path(name).suffix.lower() in _CSV else "parquet" for name in data}
    if len(kinds) > 1:
        raise UnreadableFile("CSV and Parquet files cannot be read as one table. Give files of one kind.")
    return kinds.pop()


@contextmanager
def _dask_frame(data: Sequence[str], kind: str, address: str | None) -> Iterator[object]:
    from fewest.data.engines.dask_engine import import_dask

    frames = import_dask()
    from distributed import Client, LocalCluster

    try:
        local = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": "CRITICAL"}
        cluster = None if address else LocalCluster(**local)
        client = Client(address or cluster, timeout=30)
    except OSError as error:
        raise InvalidParameter(f"There is no Dask scheduler at {address}: {error}") from None
    try:
        paths = list(data) if len(data) > 1 else data[0]
        yield frames.read_csv(paths) if kind == "csv" else frames.read_parquet(paths)
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


@contextmanager
def _spark_frame(data: Sequence[str], kind: str, master: str | None) -> Iterator[object]:
    from fewest.data.engines.spark_engine import import_spark

    sql = import_spark()
    builder = sql.SparkSession.builder.appName("fewest").config("spark.ui.showConsoleProgress", "false")
    if master is None:
        # The workers of this computer run this Python, and nothing listens to the network.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.ui.enabled", "false")
    try:
        session = builder.master(master or "local[*]").getOrCreate()
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InvalidParameter(f"Spark does not start: {reason}. It needs Java 17 or newer.") from None
    session.sparkContext.setLogLevel("OFF")
    try:
        paths = list(data)
        yield session.read.csv(paths, header=True, inferSchema=True) if kind == "csv" else session.read.parquet(*paths)
    finally:
        session.stop()

"""Where rows come from: the only place that knows pandas, Arrow and files."""

from fewest.sources.array import ArraySource
from fewest.sources.arrow_file import ArrowFileSource
from fewest.sources.delimited import DelimitedSource
from fewest.sources.frame import FrameSource
from fewest.sources.parquet import ParquetSource
from fewest.sources.scan import scan

__all__ = ["ArraySource", "ArrowFileSource", "DelimitedSource", "FrameSource", "ParquetSource", "scan"]

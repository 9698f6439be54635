"""One way in for all data: files, folders, frames, queries, arrays and bundled data sets."""

from __future__ import annotations

import warnings

from fewest.data.column_choice import ColumnChoice, ReadingRequest
from fewest.data.column_kinds import NumberMarks
from fewest.data.derived.merged_classes import merged
from fewest.data.derived.probed_source import probed
from fewest.data.reading import read, reading_notes
from fewest.data.source import Source
from fewest.errors import FewestWarning, InvalidParameter
from fewest.unexpected import PublicEntry


def scan(
    data: object,
    target: object = None,
    *,
    weight: object = None,
    drop_unlabelled: bool = False,
    columns: object = None,
    drop: object = None,
    id_column: str | None = None,
    categories: object = None,
    feature_names: object = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    transpose: bool = False,
    merge: object = None,
    probes: int = 0,
) -> Source:
    """Read rows to select features from, wherever they are. Text, Parquet and Arrow files are never whole in memory.

    Parameters
    ----------
    data : path, list of paths, frame, query, function, array or Source
        A file of CSV, TSV or other text (also packed with gzip), Excel, Parquet, Arrow or Feather, .npz, .mat, .h5ad or
        svmlight; a folder, glob or list of Parquet files; ``"-"`` for standard input; a bundled data set, or its name;
        a frame of pandas, polars or pyarrow; an array or sparse matrix; what is asked for its rows in every pass: a
        relation of DuckDB, a dataset of pyarrow, a LazyFrame of polars, a table of ibis, or a function without
        arguments that returns a pyarrow.RecordBatchReader or record batches; a frame of Dask or Spark, whose rows stay
        with the workers. A Source is returned as it is.
    target : str or array
        The name of the column of labels, or the labels of a frame or array. An .npz has its labels in y, a .mat in Y,
        unless named here; svmlight and bundled data sets know theirs; that of an .h5ad is a column of obs.
    weight : str or array, optional
        The name of the column of sample weights, or the weights of a frame or array.
    drop_unlabelled : bool
        Leave out rows without a label instead of refusing them.
    columns : str or list of str, optional
        The columns that may be features: names, globs (``gene_*``), ranges of names (``a:f``) or positions from 1 on
        (``3-20``), several of them in a list or between commas. All by default.
    drop : str or list of str, optional
        Columns that are no features, written in the same way.
    id_column : str, optional
        The column that names the rows, which is no feature.
    categories : str or list of str, optional
        Columns whose values are categories whatever they look like, such as postcodes; written as for columns.
    feature_names : list of str, optional
        The names of the columns of an array or sparse matrix.
    sep : str, optional
        What separates the fields of a text file: a character, ``"tab"`` or ``"space"``. Found out by default.
    decimal, thousands : str, optional
        The decimal mark of numbers in text, and what stands between their thousands. By default each column of text
        shows its own, where all its numbers agree.
    encoding : str, optional
        The encoding of a text file. By default UTF-8, UTF-16 and, for bytes that are neither, Windows-1252 or Latin-1
        are recognised; the latter with a warning.
    transpose : bool
        The samples of a text file or spreadsheet are its columns and the features its rows, as gene tables come: the
        first column names the features and, among them, the target. Such a file is read whole.
    merge : str, dict or list, optional
        Classes to join: ``"0-4,5-9"`` joins ranges of numbers, ``"junction=EI+IE"`` two labels under a name, and so do
        ``{"junction": ["EI", "IE"]}`` and, without a name, ``[["EI", "IE"]]``. Classes that are not named stay.
    probes : int
        The number of columns of noise to add, called probe1, probe2, ..., as `fewest.datasets.add_probes` draws them.
        They are drawn for the rows as they come, and held in memory.

    Returns
    -------
    Source
        Its features are all columns but target, weight, id_column, an index that pandas wrote as a column
        ("Unnamed: 0"), and columns of dates, which are left out with a warning.

    Raises
    ------
    UnreadableFile
        There is no such file, or it is not what its name says.
    InvalidInput
        The data cannot be used as they are.
    MissingDependency
        Parquet and Arrow files, queries and functions need pyarrow, Excel files openpyxl, .h5ad files h5py.

    See Also
    --------
    fewest.datasets.load : A bundled data set as arrays.

    Notes
    -----
    A column is read alike from every source: numbers (also those written as text, such as 1,234.50, 34,09, 12 % or € 5,
    where the whole column agrees), booleans (true and false, yes and no), categories, or dates. ``column_kinds`` of the
    source lists them, ``numbers_as_text`` says how numbers are written, ``left_out`` which columns were left out.

    A query or function is executed in every pass, of which a method makes one or more. Each must give the same rows in
    the same order, or the fit ends with an error that says so.

    Examples
    --------
    >>> from fewest import scan
    >>> source = scan([[1.0, 5.0], [2.0, 6.0]], ["a", "b"], feature_names=["width", "height"])
    >>> source.feature_names
    ['width', 'height']
    """
    with PublicEntry("scan", data=data, target=target, weight=weight):
        request = ReadingRequest(
            target=target,
            weight=weight,
            drop_unlabelled=drop_unlabelled,
            choice=ColumnChoice.of(columns, drop, id_column, None, categories),
            marks=NumberMarks.of(decimal, thousands),
            feature_names=feature_names,
            sep=sep,
            encoding=encoding,
            transpose=transpose,
        )
        if isinstance(data, Source):
            others = (target, weight, columns, drop, id_column, categories, feature_names)
            if (
                drop_unlabelled
                or transpose
                or any(value is not None for value in (*others, sep, decimal, thousands, encoding))
            ):
                raise InvalidParameter(
                    "A source has its target and weight already. Leave out every parameter but data, merge and probes."
                )
            return probed(merged(data, merge), probes)
        source = read(data, request)
        for note in reading_notes(source):
            warnings.warn(note, FewestWarning, stacklevel=2)
        return probed(merged(source, merge), probes)

"""Rows that an engine holds or produces: Dask, Spark, and whatever gives Arrow batches again and again."""

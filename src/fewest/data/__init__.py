"""Where rows come from: the only place that knows pandas, polars, Arrow and files."""

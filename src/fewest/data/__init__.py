"""Where rows come from: the only package that knows pandas, polars, Arrow and files."""

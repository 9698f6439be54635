"""The tables and figures of five papers as experiments: declared here, run and compared by `fewest reproduce`."""

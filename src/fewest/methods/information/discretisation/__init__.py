"""How columns become categories, from rows that are kept or in two passes over a stream."""

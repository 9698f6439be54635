"""How well selections do on rows that were not used to make them."""

"""The kinds of experiments that the papers' items are made of, each on public functions of fewest alone."""

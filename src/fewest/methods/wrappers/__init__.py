"""Selection with a classifier inside: wrappers, two stages, forest importance."""

"""Discretisation: how numbers and text become categories, in memory and from streams."""

"""Constraints on columns: those to keep, caps on how many of a kind, costs and budgets, as every search reads them."""

from fewest.constraints.column_constraints import ALL_CONSTRAINTS, UNCONSTRAINED, Cap, ColumnConstraints

__all__ = ["ALL_CONSTRAINTS", "UNCONSTRAINED", "Cap", "ColumnConstraints"]

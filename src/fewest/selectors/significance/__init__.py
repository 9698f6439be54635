"""Tests of columns: p-values, by formula or by permuting the labels, and the columns that pass at a level."""

"""What is evaluated: tables, splits, groups, methods and sizes."""

"""How numbers, tables and progress are shown."""

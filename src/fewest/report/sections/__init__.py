"""The sections of the page, a module per question."""

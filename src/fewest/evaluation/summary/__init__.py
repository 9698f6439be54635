"""What a comparison found, as the report shows it."""

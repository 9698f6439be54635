"""How good selections are: errors, what is significant, stability."""

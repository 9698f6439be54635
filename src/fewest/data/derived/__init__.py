"""Sources made from others: with probes, with classes joined."""

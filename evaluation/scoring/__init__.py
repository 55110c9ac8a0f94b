"""From two files to integer counts: alignment, profiles, metrics, breakdowns."""

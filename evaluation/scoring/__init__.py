"""Compare two files: profiles, alignment, metrics, integer counts, breakdowns."""

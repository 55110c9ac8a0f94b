"""Display of results: trees, differences, reports."""

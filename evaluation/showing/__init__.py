"""What people look at: trees, differences, reports."""

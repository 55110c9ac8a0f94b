"""The demo task's teams and their made-up systems."""

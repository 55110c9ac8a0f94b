"""The fictional teams and systems of the demo task."""

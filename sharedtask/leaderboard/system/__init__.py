"""What the page of a system shows: its places, its test sets, where it is strong, and what it mistakes."""

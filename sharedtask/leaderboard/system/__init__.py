"""What the page of a system shows: its ranks, its test sets, strengths and weaknesses, and its errors."""

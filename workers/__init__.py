"""The worker processes: they take tasks from the broker and write results to the database."""

"""The processes that do the work: they take tasks from the broker and write results to the database."""

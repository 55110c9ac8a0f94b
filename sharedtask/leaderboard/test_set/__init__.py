"""What the list of test sets and the page of a test set show: files, ranking, difficulty, charts."""

"""Pages of results beside the leaderboard: the matrix, the list of test sets, and each of them."""

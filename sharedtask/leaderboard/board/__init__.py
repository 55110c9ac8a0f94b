"""The leaderboard, from an address to a table: its query, the facts it depends on, its rows and columns."""

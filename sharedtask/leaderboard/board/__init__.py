"""The leaderboard, from an address to a table: what is asked for, what it depends on, what is shown."""

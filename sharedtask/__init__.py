"""The site of a shared task: teams, the competition, their submissions, the leaderboard."""

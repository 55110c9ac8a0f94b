"""The site: accounts, tasks, teams, submissions, results, archive."""

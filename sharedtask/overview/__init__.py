"""Pages that combine several apps: the front page, a task, a team, a run, the organisers' overview."""

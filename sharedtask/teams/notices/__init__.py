"""What people are told: `tell` writes it, `about_runs` and `about_tasks` know what, `mail` sends it."""

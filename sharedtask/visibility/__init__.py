"""Who may see what and when: a pure policy over plain values.

The rules are a table (`table.py`: thing × role → when) in the terms of `terms.py`, which organisers can read
on the site. It makes no queries and imports nothing from the apps. Each app gathers the facts about its own
rows and asks `allowed` (`task_access`, `team_access`, `run_access`, `standing_access`). Every view, export,
e-mail and error message goes through one of these, and nothing else decides.
"""

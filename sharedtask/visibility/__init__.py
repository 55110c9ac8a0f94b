"""Who may see what, when: a pure policy over plain values.

The rules are a table of data (`table.py`: thing × role → when), which organisers can read on a page of the
site, in the words of `terms.py`. It asks no database and imports nothing of the apps. Each app gathers the
facts about its own rows and asks `allowed` (`task_access`, `team_access`, `run_access`, `standing_access`).
Every view, export, mail and error goes through one of these, and nothing else decides.
"""

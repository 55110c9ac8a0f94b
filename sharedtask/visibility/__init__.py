"""Who may see what, when. Every view, export, mail and error asks here, and nothing else decides.

The rules are a table of data (`table.py`: thing × role → when), which organisers can read on a page of the
site. `facts.py` turns rows of the database into the words of the table. What
the rest of the site asks are the functions named here, sorted by what they are about (`about_tasks.py`,
`about_phases.py`, `about_names.py`, `about_runs.py`); those about sets of rows are querysets and take `at=`.
"""

from __future__ import annotations

from sharedtask.visibility.about_names import Names, names, team_names
from sharedtask.visibility.about_phases import (
    exact_figures,
    is_blind,
    phases_to_upload_to,
    phases_with_standings,
    queue,
    standing,
    standings,
    system_description,
)
from sharedtask.visibility.about_runs import (
    RunSight,
    above_zero,
    alarms,
    file_state_shown,
    messages,
    messages_to_team,
    of_run,
    own_runs,
    run_thing,
    runs_with,
    scores,
    scores_with_breakdowns,
    state_shown,
    states_of_own_runs,
)
from sharedtask.visibility.about_tasks import (
    audit,
    gold_file,
    gold_is_out,
    groups,
    inputs,
    raw_text,
    released_gold,
    tasks,
    test_sets,
)
from sharedtask.visibility.facts import (
    Viewer,
    begins_tasks,
    organises,
    results_published,
    role_of,
    team_of,
)
from sharedtask.visibility.words import Thing

__all__ = [
    "Names",
    "RunSight",
    "Thing",
    "Viewer",
    "above_zero",
    "alarms",
    "audit",
    "begins_tasks",
    "exact_figures",
    "file_state_shown",
    "gold_file",
    "gold_is_out",
    "groups",
    "inputs",
    "is_blind",
    "messages",
    "messages_to_team",
    "names",
    "of_run",
    "organises",
    "own_runs",
    "phases_to_upload_to",
    "phases_with_standings",
    "queue",
    "raw_text",
    "released_gold",
    "results_published",
    "role_of",
    "run_thing",
    "runs_with",
    "scores",
    "scores_with_breakdowns",
    "standing",
    "standings",
    "state_shown",
    "states_of_own_runs",
    "system_description",
    "tasks",
    "team_names",
    "team_of",
    "test_sets",
]

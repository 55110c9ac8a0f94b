"""The scores of many runs of one team, as far as a viewer may see them.

In: the viewer, the team, runs of it, the moment. Out: the counts of their scored files. They are those that
`run_access.scores` gives for one run, in as many queries for many runs as for few.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sharedtask.accounts.roles import Viewer, role_of
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.task_access import stage_of_phase
from sharedtask.submissions.average import FileCounts
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.run_access import cited_gold, facts_of_run
from sharedtask.teams.models import Team
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Role, Thing


def counts_of_own_runs(
    viewer: Viewer, task: Task, team: Team, runs: Iterable[Run], *, at: datetime
) -> dict[int, dict[str, FileCounts]]:
    """By the key of the run and the test set's code; without runs whose scores the viewer may not see."""
    runs = list(runs)
    if not runs:
        return {}
    role = role_of(viewer, task, team)
    phases = {run.phase_id: run.phase for run in runs}
    moments = {key: stage_of_phase(phase, at=at) for key, phase in phases.items()}
    found: dict[int, dict[str, FileCounts]] = {
        run.pk: {}
        for run in runs
        if allowed(Thing.SCORE, role, facts_of_run(run, at=at, moment=moments[run.phase_id]))
    }
    if not found:
        return {}
    cited = {} if role == Role.ORGANISER else published_gold(task, phases.values(), at=at)
    done = Score.objects.filter(file__run__in=found).done()
    columns = ("file__run", "file__run__phase", "file__test_set__code", "gold__number", "counts")
    in_force = set(done.in_force().values_list("pk", flat=True))
    for key, run, phase, code, number, counts in done.values_list("pk", *columns):
        versions = cited.get(phase)
        if versions.get(code) == number if versions else key in in_force:
            found[run][code] = counts
    return found


def published_gold(task: Task, phases: Iterable[Phase], *, at: datetime) -> dict[int, dict[str, int]]:
    """Of the phases whose scores follow a publication, and not the gold that is in force now."""
    blind = [phase for phase in phases if phase.feedback != Phase.Feedback.SCORES]
    return cited_gold(task, blind, at=at) if blind else {}

"""The scores of many runs of one team that a viewer may see.

In: the viewer, the team, its runs, the time. Out: the counts of their scored files: the same as those of
`run_access.scores` for each run, but the number of queries does not grow with the runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sharedtask.accounts.roles import Viewer, role_of
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.task_access import stage_of_phase
from sharedtask.submissions.average import FileCounts
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.run_access import CitedVersions, cited_versions, facts_of_run
from sharedtask.teams.models import Team
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Role, Thing


def counts_of_own_runs(
    viewer: Viewer, task: Task, team: Team, runs: Iterable[Run], *, at: datetime
) -> dict[int, dict[str, FileCounts]]:
    """By the run's primary key and the test set's code; without runs whose scores the viewer may not see."""
    runs = list(runs)
    if not runs:
        return {}
    role = role_of(viewer, task, team)
    phases = {run.phase_id: run.phase for run in runs}
    moments = {key: stage_of_phase(phase, at=at) for key, phase in phases.items()}
    by_run: dict[int, dict[str, FileCounts]] = {
        run.pk: {}
        for run in runs
        if allowed(Thing.SCORE, role, facts_of_run(run, at=at, moment=moments[run.phase_id]))
    }
    if not by_run:
        return {}
    cited = {} if role == Role.ORGANISER else published_versions(task, phases.values(), at=at)
    done = Score.objects.filter(file__run__in=by_run).done()
    columns = (
        "file__run",
        "file__run__phase",
        "file__test_set__code",
        "gold__number",
        "profile_version",
        "counts",
    )
    in_force = set(done.in_force().values_list("pk", flat=True))
    for key, run, phase, code, number, profile_version, counts in done.values_list("pk", *columns):
        published = cited.get(phase)
        if published.get(code) == (number, profile_version) if published else key in in_force:
            by_run[run][code] = counts
    return by_run


def published_versions(task: Task, phases: Iterable[Phase], *, at: datetime) -> dict[int, CitedVersions]:
    """For phases that show the scores of a publication instead of those against the gold in force."""
    blind = [phase for phase in phases if phase.feedback != Phase.Feedback.SCORES]
    return cited_versions(task, blind, at=at) if blind else {}

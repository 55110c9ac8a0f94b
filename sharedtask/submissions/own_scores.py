"""The scores of many runs of one team that a viewer may see, and their averages.

In: the viewer, the team, its runs, the time. Out: the counts of their scored files: the same as those of
`run_access.scores` for each run, but the number of queries does not grow with the runs; or their averages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sharedtask.accounts.roles import Viewer, role_of
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.competition.task_access import stage_of_phase
from sharedtask.submissions.average import FileCounts, average
from sharedtask.submissions.models import Run, RunFile, Score
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
    if not cited:
        for run, code, counts in done.in_force().values_list("file__run", "file__test_set__code", "counts"):
            by_run[run][code] = counts
        return by_run
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


def averages_of_own_runs(
    viewer: Viewer, task: Task, team: Team, runs: Sequence[Run], *, at: datetime
) -> dict[int, dict[str, float]]:
    """By the run's primary key and the main metric, over the test sets of the run."""
    counts = counts_of_own_runs(viewer, task, team, runs, at=at)
    if not counts:
        return {}
    # All that averages need of test sets.
    test_sets = task.test_sets.only("code", "gold_in_force", "task").in_bulk()
    sets_of_runs: dict[int, list[TestSet]] = {}
    for run, test_set in RunFile.objects.filter(run__in=counts).values_list("run", "test_set"):
        sets_of_runs.setdefault(run, []).append(test_sets[test_set])
    main = {run.pk: main_metrics(task, run.track) for run in runs}
    return {
        run: average(task, sets_of_runs.get(run, []), by_code, metrics=main[run])
        for run, by_code in counts.items()
    }


def published_versions(task: Task, phases: Iterable[Phase], *, at: datetime) -> dict[int, CitedVersions]:
    """For phases that show the scores of a publication instead of those against the gold in force."""
    blind = [phase for phase in phases if phase.feedback != Phase.Feedback.SCORES]
    return cited_versions(task, blind, at=at) if blind else {}

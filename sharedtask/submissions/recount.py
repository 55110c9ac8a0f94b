"""Count runs again when the standings count a test set that they have no file of, or count it no longer.

In: a time. Out: how many runs got a missing file or lost one, and notices to the teams of the former and to
the organisers. A set is released at its time, an organiser moves that time, or adds the set to the phase: no
job runs then, and the next sweep finds that it has happened. From then on the pages of a run count the same
test sets as the standings of its phase.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.template.defaultfilters import pluralize
from django.urls import reverse

from sharedtask.competition.models import Phase, TestSet
from sharedtask.competition.request_standings import request_standings
from sharedtask.submissions.models import Run, RunFile
from sharedtask.teams.models import Notice, Team
from sharedtask.teams.notices.send import members_of, organisers_of, send_notices


def recount_runs(*, at: datetime) -> int:
    """May run at any time and any number of times."""
    with transaction.atomic():
        relieved = remove_missing_files(at=at)
        files = missing_files(at=at)
        runs = Run.objects.select_related("phase__task", "team").in_bulk({file.run_id for file in files})
        RunFile.objects.bulk_create(files, ignore_conflicts=True)
        by_phase: dict[int, list[RunFile]] = defaultdict(list)
        for file in files:
            file.run = runs[file.run_id]
            by_phase[file.run.phase_id].append(file)
        for phase_id, of_phase in by_phase.items():
            request_standings(phase_id, at=at)
            warn(of_phase[0].run.phase, of_phase, at=at)
    return len(runs.keys() | relieved)


def remove_missing_files(*, at: datetime) -> set[int]:
    """Of test sets whose release was moved to a later time: nobody is expected to have them. Out: the runs.

    Software is also run on inputs that are not released.
    """
    released = TestSet.objects.with_released_inputs(at=at).filter(pk=OuterRef("test_set"))
    missing = RunFile.objects.filter(state=RunFile.State.MISSING).exclude(run__origin=Run.Origin.SOFTWARE)
    files = missing.filter(~Exists(released))
    expired = list(files.values_list("pk", "run_id", "run__phase_id"))
    RunFile.objects.filter(pk__in=[file for file, _, _ in expired]).delete()
    for phase_id in {phase for _, _, phase in expired}:
        request_standings(phase_id, at=at)
    return {run for _, run, _ in expired}


def missing_files(*, at: datetime) -> list[RunFile]:
    """For each checked run and each test set that the standings of its phase count and it has no file of.

    Not only for sets released after the run had arrived: the time of a release may be entered afterwards.
    """
    recorded = RunFile.objects.filter(run=OuterRef("run_pk"), test_set=OuterRef("pk"))
    counted = TestSet.objects.with_released_inputs(at=at).annotate(
        run_pk=F("phases__runs__pk"), checked_at=F("phases__runs__checked_at")
    )
    # The server trains systems on the test sets that have training data, and ranks no such run.
    trained_here = Run.objects.filter(
        pk=OuterRef("run_pk"), origin=Run.Origin.SOFTWARE, training_size__isnull=False
    )
    unrecorded = counted.filter(~Exists(recorded), ~Exists(trained_here), checked_at__isnull=False)
    unrecorded = unrecorded.order_by("run_pk", "code")
    pairs = list(unrecorded.values_list("run_pk", "pk"))
    test_sets = TestSet.objects.in_bulk({test_set for _, test_set in pairs})
    return [
        RunFile(run_id=run, test_set=test_sets[test_set], state=RunFile.State.MISSING, expected_later=True)
        for run, test_set in pairs
    ]


def warn(phase: Phase, files: Sequence[RunFile], *, at: datetime) -> None:
    """Only of runs that count."""
    counting = [file for file in files if file.run.status == Run.Status.COUNTS]
    if not counting:
        return
    by_team: dict[Team, list[RunFile]] = defaultdict(list)
    for file in counting:
        by_team[file.run.team].append(file)
    for team, of_team in by_team.items():
        send_notices(
            people=members_of(team),
            task=phase.task,
            kind=Notice.Kind.SURPRISE,
            event=f"recounted:{phase.pk}:{team.pk}:{last_pair(of_team)}",
            text=text_for_team(phase, team, of_team, at=at),
            path=reverse("team", args=[phase.task.slug]),
            at=at,
        )
    send_notices(
        people=organisers_of(phase.task),
        task=phase.task,
        kind=Notice.Kind.SURPRISE,
        event=f"recounted:{phase.pk}:{last_pair(counting)}",
        text=text_for_organisers(phase, counting),
        path=reverse("organiser-overview", args=[phase.task.slug]),
        at=at,
    )


def last_pair(files: Iterable[RunFile]) -> str:
    """Identifies the event: a run is counted again only once for each test set."""
    run, test_set = max((file.run_id, file.test_set_id) for file in files)
    return f"{run}:{test_set}"


def text_for_team(phase: Phase, team: Team, files: Sequence[RunFile], *, at: datetime) -> str:
    numbers = sorted({file.run.number for file in files})
    (subject, verb), pronoun = subject_and_verb(files), "it" if len(numbers) == 1 else "them"
    runs = f"run{pluralize(len(numbers))} {', '.join(map(str, numbers))} of {team.name}"
    text = f"{subject} not expected yet when {runs} arrived, and {verb} missing from {pronoun}."
    if not phase.is_open(at=at, team=team):
        return text
    return f"{text} You can amend {'the run' if len(numbers) == 1 else 'a run'} while {phase.title} is open."


def text_for_organisers(phase: Phase, files: Sequence[RunFile]) -> str:
    runs, teams = len({file.run_id for file in files}), len({file.run.team_id for file in files})
    (subject, verb), pronoun = subject_and_verb(files), "it" if runs == 1 else "them"
    return (
        f"{phase.title}: {subject} not expected yet when {runs} run{pluralize(runs)} of "
        f"{teams} team{pluralize(teams)} arrived, and {verb} missing from {pronoun}. "
        f"The team{pluralize(teams, ' was,s were')} notified."
    )


def subject_and_verb(files: Iterable[RunFile]) -> tuple[str, str]:
    """The test sets with their verb, in the singular or the plural."""
    codes = sorted({file.test_set.code for file in files})
    return (f"{codes[0]} was", "is") if len(codes) == 1 else (f"{', '.join(codes)} were", "are")

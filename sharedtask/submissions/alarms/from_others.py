"""Alarms that rest on what other teams sent: the organisers' alone.

`identical`: a valid file with the same bytes as one of another team for the same test set. Of two teams, the
one that sent it later has the alarm; whoever of them was first to have it, an organiser has to find out.
"""

from __future__ import annotations

from collections.abc import Iterator

from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.alarms.from_upload import listing
from sharedtask.submissions.models import Alarm, Run, RunFile
from sharedtask.teams.models import Team


def identical(run: Run) -> Iterator[Finding]:
    """One alarm for each other team, however many files and runs are the same."""
    mine = set(
        run.files.filter(state=RunFile.State.VALID, taken_from=None).values_list("test_set_id", "sha256")
    )
    theirs = RunFile.objects.filter(
        run__task=run.task_id,
        state=RunFile.State.VALID,
        taken_from=None,
        test_set__in={test_set for test_set, _ in mine},
        sha256__in={sha256 for _, sha256 in mine},
    ).exclude(run__team=run.team_id)
    found: dict[int, dict[str, int]] = {}
    teams: dict[int, Team] = {}
    for file in theirs.select_related("run__team", "test_set").order_by("run__received_at"):
        if (file.test_set_id, file.sha256) in mine:
            teams[file.run.team_id] = file.run.team
            found.setdefault(file.run.team_id, {}).setdefault(file.test_set.code, file.run.number)
    for pk, files in found.items():
        numbers = ", ".join(str(number) for number in sorted(set(files.values())))
        text = f"Identical to what {teams[pk].name} sent (run {numbers}): {listing(list(files))}."
        yield Finding(kind=Alarm.Kind.IDENTICAL, run=run, text=text, about=teams[pk].public_id)

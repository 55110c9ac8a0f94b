"""Alarms that depend on other teams' outputs; only organisers see them.

`find_identical_output`: a valid file with the same bytes as another team's file for the same test set. The
alarm is raised for the team that sent it later; which team had it first is for an organiser to find out.
"""

from __future__ import annotations

from collections.abc import Iterator

from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.alarms.upload_detectors import format_list
from sharedtask.submissions.models import Alarm, Run, RunFile
from sharedtask.teams.models import Team


def find_identical_output(run: Run) -> Iterator[Finding]:
    """One alarm per other team, however many files and runs are identical."""
    own = set(
        run.files.filter(state=RunFile.State.VALID, taken_from=None).values_list("test_set_id", "sha256")
    )
    candidates = RunFile.objects.filter(
        run__task=run.task_id,
        state=RunFile.State.VALID,
        taken_from=None,
        test_set__in={test_set for test_set, _ in own},
        sha256__in={sha256 for _, sha256 in own},
    ).exclude(run__team=run.team_id)
    # By team and test set, the first run with the identical file.
    run_numbers: dict[int, dict[str, int]] = {}
    teams: dict[int, Team] = {}
    for file in candidates.select_related("run__team", "test_set").order_by("run__received_at"):
        if (file.test_set_id, file.sha256) in own:
            teams[file.run.team_id] = file.run.team
            run_numbers.setdefault(file.run.team_id, {}).setdefault(file.test_set.code, file.run.number)
    for pk, files in run_numbers.items():
        numbers = ", ".join(str(number) for number in sorted(set(files.values())))
        text = f"Identical to the output of {teams[pk].name} (run {numbers}): {format_list(list(files))}."
        yield Finding(kind=Alarm.Kind.IDENTICAL, run=run, text=text, about=teams[pk].public_id)

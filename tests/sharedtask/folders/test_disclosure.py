"""The plan of an import says what becomes visible when; problems with times name the right field."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharedtask.competition.models import Phase, Task
from sharedtask.folders.checks import read_folder
from sharedtask.folders.disclosure import disclosures
from sharedtask.folders.files import FolderOnDisk
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.plan import check_times
from sharedtask.submissions.models import Run
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.folders import write_folder


def test_the_plan_says_what_becomes_visible_when(tmp_path: Path) -> None:
    folder = read_folder(FolderOnDisk(write_folder(tmp_path / "full")))
    assert disclosures(folder, at=datetime(2026, 1, 1, tzinfo=UTC)) == [
        "At once: the task with its texts and its phases; the name of de_one; the inputs of de_one; "
        "the gold of de_one.",
        "2026-05-01 00:00:00 UTC: the name of en_two and the sample of en_two.",
        "2026-05-08 10:00:00 UTC: the inputs of en_two.",
        "When an organiser releases it on the page Gold: the gold of en_two.",
    ]
    later = disclosures(folder, at=datetime(2026, 5, 9, tzinfo=UTC))
    assert len(later) == 2
    assert "the names of de_one, en_two; the inputs of de_one, en_two" in later[0]


@pytest.mark.django_db
def test_a_problem_with_times_names_the_field_that_causes_it(
    task: Task, upload: object, phase: Phase
) -> None:
    run: Run = upload(good_archive())  # type: ignore[operator]
    both = {"opens_at": run.received_at.replace(year=2100), "closes_at": run.received_at.replace(year=2101)}
    (problem,) = check_times(phase, YamlEntry(path="phases[1]", line=1, values=both))
    assert problem.field == "phases[1].opens_at"
    early = {"opens_at": phase.opens_at, "closes_at": run.received_at}
    (problem,) = check_times(phase, YamlEntry(path="phases[1]", line=1, values=early))
    assert problem.field == "phases[1].closes_at"

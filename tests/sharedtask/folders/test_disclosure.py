"""The plan of an import says what becomes visible when; problems with times name the right field."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.disclosure import disclosures
from sharedtask.folders.files import FolderOnDisk
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.plan import check_times, make_plan
from sharedtask.folders.release_warnings import release_warnings
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Extension
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.folders import TASK, write_folder


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


BEFORE = datetime(2026, 1, 1, tzinfo=UTC)


def warnings(tmp_path: Path, *changes: tuple[str, str], at: datetime = BEFORE) -> list[str]:
    text = TASK
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    folder = read_folder(FolderOnDisk(write_folder(tmp_path / "full", {"task.yaml": text})))
    return list(release_warnings(folder, None, at=at))


def test_a_folder_whose_files_are_there_in_time_has_no_warnings(tmp_path: Path) -> None:
    assert warnings(tmp_path) == []


def test_the_plan_warns_of_inputs_that_are_released_after_a_phase_with_them_opens(tmp_path: Path) -> None:
    late = ("inputs_released_at: 2026-05-08T12:00:00+02:00", "inputs_released_at: 2026-05-09T12:00:00Z")
    assert warnings(tmp_path, late) == [
        "en_two is released after Test opens. Runs that arrive earlier have no file for it until they are "
        "amended."
    ]
    assert warnings(tmp_path, late, at=datetime(2026, 5, 16, tzinfo=UTC)) == [], "the phase is over"
    too_late = (late[0], "inputs_released_at: 2026-05-20T12:00:00Z")
    assert warnings(tmp_path, too_late) == ["en_two is released after Test closes, so no team can submit it."]
    with_software = (
        "feedback: validity, opens_at: 2026-05-08",
        "feedback: validity, software: true, opens_at: 2026-05-08",
    )
    assert warnings(tmp_path, too_late, with_software) == [
        "en_two is released after Test closes, so teams can submit software for it, but no files."
    ]


def test_the_plan_warns_of_a_surprise_that_is_revealed_after_a_phase_with_it_opens(tmp_path: Path) -> None:
    both = (
        ("revealed_at: 2026-05-01T00:00:00Z", "revealed_at: 2026-05-10T00:00:00Z"),
        ("    inputs_released_at: 2026-05-08T12:00:00+02:00\n", ""),
    )
    (warning,) = warnings(tmp_path, *both)
    assert warning.startswith("en_two is released after Test opens.")


def test_the_plan_warns_of_gold_that_is_missing_or_secret_when_a_phase_needs_it(tmp_path: Path) -> None:
    secret = ("file: gold/de_one.conllu, public: true", "file: gold/de_one.conllu")
    elsewhere = ("runs_total: 4}", "runs_total: 4, test_sets: [en_two]}")
    assert warnings(tmp_path, secret, elsewhere) == [
        "Gold of de_one is not public, although Development is a development phase. Teams see scores, but no "
        "gold until you release it on the page Gold."
    ]
    begin = TASK.index("    gold:\n      - {version: 1, file: gold/en_two.conllu}")
    end = TASK.index("    inputs:\n      - {variant: udpipe")
    missing = (TASK[begin:end], "    gold: []\n")
    assert warnings(tmp_path, missing) == [
        f"en_two has no gold yet. In {title}, runs with a file for it are not ranked until its gold is "
        "imported."
        for title in ("Test", "After")
    ]


@pytest.mark.django_db
def test_warnings_of_a_plan_consider_extensions_and_gold_that_is_on_the_site(tmp_path: Path) -> None:
    late = TASK.replace(
        "inputs_released_at: 2026-05-08T12:00:00+02:00", "inputs_released_at: 2026-05-20T12:00:00Z"
    )
    folder = read_folder(FolderOnDisk(write_folder(tmp_path / "full", {"task.yaml": late})))
    at = datetime(2026, 5, 14, tzinfo=UTC)
    apply(folder=folder, by=None, at=at)
    task = Task.objects.get()
    with clock.stopped_at(at):
        assert [note for note in make_plan(folder).notes if "released" in note] == list(
            release_warnings(folder, task, at=at)
        )
    assert "so no team can submit it" in next(release_warnings(folder, task, at=at))
    phase = task.phases.get(code="test")
    Extension.objects.create(
        phase=phase, closes_at=datetime(2026, 5, 22, tzinfo=UTC), reason="ill", granted_at=at
    )
    assert "until they are amended" in next(release_warnings(folder, task, at=at))

"""An edit takes the path of an import: the same checks, and an export that imports without a change."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.core.errors import Refusal
from sharedtask.folders.editing.description import describe
from sharedtask.folders.editing.edit_task import (
    EditedMeanwhile,
    InvalidEdit,
    digest,
    edit_task,
)
from sharedtask.folders.editing.parts import (
    Downloads,
    Groups,
    NewPhase,
    Part,
    PhasePart,
    ReleaseTimes,
    RemovedPhase,
    TestSetPart,
    Texts,
)
from sharedtask.folders.plan import Plan
from sharedtask.submissions.models import Run
from tests.sharedtask.support.building import good_archive

pytestmark = pytest.mark.django_db
SOON = datetime(2126, 5, 1, 12, tzinfo=UTC)
LATER = SOON + timedelta(days=7)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def plan_of_the_export(task: Task, folder: Path) -> str:
    output = io.StringIO()
    call_command("task", "export", str(folder), "--task", task.slug, stdout=io.StringIO())
    call_command("task", "import", str(folder), "--dry-run", stdout=output, stderr=io.StringIO())
    return output.getvalue()


EDITS: dict[str, tuple[Part, dict[str, Any]]] = {
    "texts": (Texts(), {"title": "Another title", "faq": "# Why?\r\n\r\nBecause: *so* \x85 it is. \r\n"}),
    "odd texts": (
        Texts(),
        {"description": "  ~\n\n\tnull\u2028- a: b # c\n'\"", "summary": "no", "citation": "~"},
    ),
    "downloads": (
        Downloads(),
        {"downloads": [{"kind": "training", "title": "UD", "url": "https://example.org", "note": ""}]},
    ),
    "groups": (Groups(), {"groups": [("surprise", "secret"), (None, "new"), ("big", "big")]}),
    "test set": (
        TestSetPart("en_two"),
        {"language": "Old English", "groups": ["big"], "note": "a # b", "licence": "CC0", "position": 1},
    ),
    "time of a test set": (TestSetPart("en_two"), {"revealed_at": LATER}),
    "release times": (
        ReleaseTimes(),
        {"which": "inputs_released_at", "time": LATER + timedelta(days=1), "test_sets": ["en_two"]},
    ),
    "phase": (
        PhasePart("test"),
        {"title": "The test", "runs_per_day": 3, "runs_total": None, "test_sets": ["en_two"]},
    ),
    "new phase": (
        NewPhase(),
        {
            "code": "extra",
            "kind": "post-evaluation",
            "title": "Extra",
            "feedback": "scores",
            "opens_at": LATER,
            "closes_at": None,
            "runs_per_day": None,
            "runs_total": 5,
        },
    ),
    "removed phase": (RemovedPhase("post"), {}),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_export_has_the_edit_and_importing_it_changes_nothing(
    name: str, full: Task, edit: Callable[..., Plan], tmp_path: Path, as_worker: None
) -> None:
    part, changed = EDITS[name]
    plan = edit(full, part, **changed)
    assert plan.lines
    lines = plan_of_the_export(full, tmp_path / "out").splitlines()
    assert [line for line in lines if not line.startswith("Note: ")] == [
        "No changes.",
        "Dry run: nothing was changed.",
    ]
    entry = AuditEntry.objects.get(action="edit-task")
    assert (entry.who_name, entry.reason, entry.subject) == ("organiser", "It was wrong.", part.subject)
    assert entry.details["changes"] == plan.lines


def test_an_export_says_what_was_filled_in(
    full: Task, edit: Callable[..., Plan], tmp_path: Path, as_worker: None
) -> None:
    edit(full, Texts(), title="Another title")
    edit(full, TestSetPart("en_two"), position=1, note="Surprising")
    edit(full, PhasePart("test"), runs_per_day=1)
    plan_of_the_export(full, tmp_path / "out")
    document = yaml.safe_load((tmp_path / "out" / "task.yaml").read_text())
    assert document["title"] == "Another title"
    assert [entry["code"] for entry in document["test_sets"]] == ["en_two", "de_one"]
    assert document["test_sets"][0]["note"] == "Surprising"
    assert [entry["runs_per_day"] for entry in document["phases"] if entry["code"] == "test"] == [1]


def test_only_what_was_changed_is_written(full: Task, edit: Callable[..., Plan]) -> None:
    """A form drops the newline at the end of the rules; that is no new text."""
    assert full.rules.endswith("\n")
    plan = edit(full, Texts(), rules=full.rules.strip(), description=full.description, title="Another title")
    assert plan.lines == ["change task: title A full task → Another title"]
    full.refresh_from_db()
    assert full.rules.endswith("\n")
    assert full.rules_version == 3
    with pytest.raises(Refusal, match="already has these values"):
        edit(full, Texts(), title=" Another title ")


def test_files_are_not_touched_and_gold_is_not_read(
    full: Task, edit: Callable[..., Plan], data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.stat().st_mtime_ns for path in data_dir.rglob("*") if path.is_file()}

    def read(name: str) -> bytes:
        raise AssertionError(f"{name} was read")

    monkeypatch.setattr("sharedtask.core.storage.read", read)
    plan = edit(full, TestSetPart("en_two"), note="Surprising")
    assert plan.lines == ["change test set en_two: note nothing → Surprising"]
    assert {path: path.stat().st_mtime_ns for path in data_dir.rglob("*") if path.is_file()} == before


def problems_of(act: Callable[[], object]) -> dict[str, str]:
    with pytest.raises(InvalidEdit) as caught:
        act()
    return {problem.field: problem.message for problem in caught.value.problems}


def test_the_checks_are_those_of_an_import(full: Task, edit: Callable[..., Plan]) -> None:
    texts: Part = Texts()
    cases: list[tuple[Part, dict[str, Any], str, str]] = [
        (texts, {"title": ""}, "title", "this field needs a value"),
        (texts, {"title": "x" * 121}, "title", "at most 120 characters"),
        (texts, {"summary": "two\nlines"}, "summary", "one line of text"),
        (texts, {"contact": "nobody"}, "contact", "expected an e-mail address"),
        (
            Downloads(),
            {"downloads": [{"kind": "other", "title": "x", "url": "javascript:alert(1)"}]},
            "downloads[1].url",
            "https://",
        ),
        (TestSetPart("en_two"), {"tag": "not a tag"}, "tag", "a language tag such as"),
        (TestSetPart("en_two"), {"groups": ["nowhere"]}, "groups", "the task has no group nowhere"),
        (
            TestSetPart("en_two"),
            {"inputs_released_at": SOON - timedelta(days=1)},
            "inputs_released_at",
            "before the set is revealed",
        ),
        (PhasePart("test"), {"runs_per_day": 9, "runs_total": 2}, "runs_per_day", "expected at most"),
        (PhasePart("test"), {"feedback": "scores"}, "feedback", "a test phase is blind"),
        (NewPhase(), EDITS["new phase"][1] | {"code": "Test"}, "code", "Test is already used"),
        (NewPhase(), EDITS["new phase"][1] | {"closes_at": SOON}, "closes_at", "closes before it opens"),
        (
            NewPhase(),
            EDITS["new phase"][1] | {"opens_at": LONG_AGO},
            "opens_at",
            "before the blind phase test",
        ),
    ]
    before = describe(full).values
    for part, changed, field, message in cases:
        problems = problems_of(lambda part=part, changed=changed: edit(full, part, **changed))  # type: ignore[misc]
        assert message in problems.get(field, ""), (part, changed, problems)
    assert describe(full).values == before
    assert not AuditEntry.objects.filter(action="edit-task").exists()


@pytest.mark.django_db(transaction=True)
def test_what_runs_depend_on_stays(
    task: Task, edit: Callable[..., Plan], upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    upload(good_archive())
    work()
    problems = problems_of(lambda: edit(task, PhasePart("open"), test_sets=["de_one"]))
    assert problems == {"test_sets": "en_two has runs in this phase and cannot be removed from it"}
    edit(task, NewPhase(), **(EDITS["new phase"][1] | {"test_sets": ["de_one"]}))
    problems = problems_of(lambda: edit(task, RemovedPhase("open")))
    assert "runs have been submitted in it" in problems["phases"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("field", ["revealed_at", "inputs_released_at"])
def test_a_release_cannot_be_moved_later_once_runs_have_the_file(
    field: str, task: Task, edit: Callable[..., Plan], upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    """Otherwise the pages of a run would count a test set that its standings do not count any more."""
    upload(good_archive(en_two=""))
    message = "already released, and runs have been submitted since"
    assert message in problems_of(lambda: edit(task, TestSetPart("en_two"), **{field: LATER}))[field], (
        "the run has not been checked yet"
    )
    work()
    assert message in problems_of(lambda: edit(task, TestSetPart("de_one"), **{field: LATER}))[field]
    times = {"which": field, "time": LATER, "test_sets": ["de_one", "en_two"]}
    assert list(problems_of(lambda: edit(task, ReleaseTimes(), **times)).values()) == [
        f"the test set de_one was {message}. Its release cannot be moved to a later time"
    ]
    assert task.test_sets.get(code="de_one").released_at is None
    edit(task, TestSetPart("de_one"), **{field: LONG_AGO})


def test_an_older_problem_of_the_task_does_not_stop_other_edits(
    full: Task, edit: Callable[..., Plan]
) -> None:
    """After publication the calendar allows times that an import would refuse."""
    full.phases.filter(code="post").update(opens_at=LONG_AGO)
    edit(full, Texts(), title="Another title")
    full.refresh_from_db()
    assert full.title == "Another title"


def test_two_organisers_do_not_overwrite_each_other(full: Task, edit: Callable[..., Plan]) -> None:
    result = digest(Texts().read(describe(full).values))
    edit(full, Texts(), summary="The quicker one.")
    with pytest.raises(EditedMeanwhile):
        edit(full, Texts(), version=result, summary="The slower one.")
    full.refresh_from_db()
    assert full.summary == "The quicker one."
    # What another form shows has not changed.
    edit(full, TestSetPart("en_two"), note="Surprising")
    edit(full, Texts(), title="Another title")


def test_times_from_the_calendar_are_not_overwritten(full: Task, edit: Callable[..., Plan]) -> None:
    version = digest(PhasePart("test").read(describe(full).values))
    Phase.objects.filter(code="test").update(closes_at=SOON)
    Phase.objects.filter(code="post").update(opens_at=LATER)
    edit(full, PhasePart("test"), version=version, title="The test")
    phase = full.phases.get(code="test")
    assert (phase.title, phase.closes_at) == ("The test", SOON)


def test_a_reason_is_needed(full: Task, organiser: User) -> None:
    result = Texts().read(describe(full).values)
    with pytest.raises(Refusal, match="Please give a reason"):
        edit_task(
            task=full,
            part=Texts(),
            filled_in=result | {"title": "Another"},
            version=digest(result),
            confirmed="",
            reason=" ",
            by=organiser,
        )


def test_renamed_groups_keep_their_test_sets(full: Task, edit: Callable[..., Plan]) -> None:
    edit(full, Groups(), groups=[("surprise", "secret"), ("big", "large"), (None, "new")])
    full.refresh_from_db()
    assert full.groups == ["secret", "large", "new"]
    groups = {test_set.code: test_set.groups for test_set in full.test_sets.all()}
    assert groups == {"de_one": ["large"], "en_two": ["secret"]}
    problems = problems_of(lambda: edit(full, Groups(), groups=[("large", "one"), ("new", "one")]))
    assert "a list without duplicates" in problems["groups"]


def test_describing_a_task_takes_as_many_queries_with_more_test_sets(full: Task) -> None:
    with CaptureQueriesContext(connection) as few:
        describe(full)
    for number in range(5):
        full.test_sets.create(code=f"fr_{number}", language="French", language_tag="fr", position=9)
    with CaptureQueriesContext(connection) as many:
        describe(full)
    assert len(many) == len(few)


@pytest.mark.django_db(transaction=True)
def test_of_two_edits_at_the_same_moment_one_is_told(full: Task, edit: Callable[..., Plan]) -> None:
    version = digest(Texts().read(describe(full).values))
    both = Barrier(2)

    def save(summary: str) -> str:
        try:
            both.wait()
            edit(full, Texts(), version=version, summary=summary)
        except EditedMeanwhile:
            return "told"
        finally:
            connection.close()
        return summary

    with ThreadPoolExecutor(2) as threads:
        outcomes = sorted(threads.map(save, ("One.", "Other.")))
    full.refresh_from_db()
    assert "told" in outcomes
    assert full.summary in outcomes

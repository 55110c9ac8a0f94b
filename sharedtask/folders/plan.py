"""Compare a task folder with the database: what an import would change, and what prevents it.

In: a `TaskFolder`. Out: a `Plan`; nothing is written. `apply.py` makes the same plan again inside its
transaction and carries it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Model

from sharedtask.competition.change_times import refuse_to_invalidate_runs
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.competition.tracks import NO_TRACK, tracks_of
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.folders.disclosure import disclosures
from sharedtask.folders.fields import PHASE, TASK, TEST_SET
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import FolderTestSet, TaskFolder
from sharedtask.folders.release_warnings import release_warnings
from sharedtask.folders.track_checks import tracks_in
from sharedtask.folders.values import phase_values, set_values, task_values
from sharedtask.folders.versions import FilePlan, plan_files
from sharedtask.submissions.models import Run, RunFile, Score

__all__ = ["Change", "Plan", "make_plan"]


@dataclass(frozen=True, kw_only=True)
class Change:
    verb: str
    """add, change or remove."""
    what: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.verb} {self.what}{': ' if self.detail else ''}{self.detail}"


@dataclass(kw_only=True)
class Plan:
    task: Task | None
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the import leaves unchanged although the folder differs, and warnings for organisers."""
    disclosures: list[str] = field(default_factory=list)
    """What becomes visible, and when."""
    problems: list[Problem] = field(default_factory=list)
    files: dict[str, FilePlan] = field(default_factory=dict)
    """By the code of the test set."""

    @property
    def lines(self) -> list[str]:
        return [str(change) for change in self.changes]


def make_plan(folder: TaskFolder) -> Plan:
    task = Task.objects.filter(slug=folder.slug).first()
    at = clock.database_now()
    plan = Plan(task=task, disclosures=disclosures(folder, at=at))
    if task is None:
        plan.changes.append(Change(verb="add", what=f"task {folder.slug}"))
    else:
        plan.changes += find_changes(task, task_values(folder), "task")
        plan.problems += check_allowed(task, folder)
    for position, source in enumerate(folder.test_sets):
        plan_test_set(plan, source, position, at=at)
    plan_phases(plan, folder)
    plan.notes += release_warnings(folder, task, at=at)
    if task is not None:
        plan_removals(plan, task, folder)
    return plan


def check_allowed(task: Task, folder: TaskFolder) -> Iterator[Problem]:
    """Refuse changes to what teams have accepted or what scores were computed with."""
    source = folder.task
    before = (task.rules, task.data_licence)
    # Nobody can have accepted rules that were empty.
    text_changed = any(before) and before != (source["rules"], source["data_licence"])
    if source["rules_version"] < task.rules_version or (
        text_changed and source["rules_version"] == task.rules_version
    ):
        yield source.problem(
            "rules_version",
            f"found {source['rules_version']}, expected at least {task.rules_version + text_changed}: "
            "teams accept a version of rules and data_licence, so a new text needs a new number",
        )
    yield from check_tracks_with_runs(task, folder)
    yield from check_deciding_metrics(task, folder)
    if Score.objects.filter(file__run__task=task).exists():
        values = task_values(folder)
        for field in ("profile", "reader", "extra_metrics", "verbs", "resampling_unit"):
            if values[field] != getattr(task, field):
                found, expected = format_value(values[field]), format_value(getattr(task, field))
                message = f"found {found}, expected {expected}: scores were computed with it"
                yield source.problem(field, message)


def check_deciding_metrics(task: Task, folder: TaskFolder) -> Iterator[Problem]:
    """Scores against several references are those against the best one, by a metric that cannot change."""
    if not Score.objects.filter(file__run__task=task).exclude(reference="").exists():
        return
    after = {track.code: track.main_metrics for track in tracks_in(folder)}
    before = {track.code: track.main_metrics for track in tracks_of(task)}
    after[NO_TRACK], before[NO_TRACK] = task_values(folder)["main_metrics"], task.main_metrics
    for code in before:
        if code in after and after[code][:1] != before[code][:1]:
            message = (
                f"{before[code][0]} has to stay the first{f' of {code}' if code else ''}: "
                "it decides which of several references is best"
            )
            yield folder.task.problem("tracks" if code else "main_metrics", message)


def check_tracks_with_runs(task: Task, folder: TaskFolder) -> Iterator[Problem]:
    """A run belongs to a track for ever, and its counts are those of the track's metrics."""
    after = {track.code: track for track in tracks_in(folder)}
    before = {track.code: track for track in tracks_of(task)}
    for code in sorted(set(Run.objects.filter(task=task).values_list("track", flat=True))):
        if code and code not in after:
            yield folder.task.problem("tracks", f"{code} is not in the folder, but it has runs")
        elif not code and after:
            yield folder.task.problem("tracks", "runs have been submitted without a track")
        elif code in before and before[code].reader != after[code].reader:
            yield folder.task.problem("tracks", f"the reader of {code} cannot change: it has runs")


def plan_test_set(plan: Plan, source: FolderTestSet, position: int, *, at: datetime) -> None:
    name = f"test set {source.code}"
    existing = None
    if plan.task is not None:
        existing = plan.task.test_sets.filter(code=source.code).select_related("gold_in_force").first()
    if existing is None:
        plan.changes.append(Change(verb="add", what=name))
    else:
        plan.changes += find_changes(existing, set_values(source, position), name)
        plan.problems += check_release(existing, source, at=at)
    files = plan_files(existing, source) if source.with_contents else FilePlan()
    plan.files[source.code] = files
    plan.problems += files.problems
    plan.notes += files.notes
    for gold in files.gold:
        names = ", ".join(reference.name for reference in gold.references)
        detail = f"with the references {names}" if names else ""
        what = f"gold version {gold.number} of {source.code}"
        plan.changes.append(Change(verb="add", what=what, detail=detail))
    for version in files.changed_notes:
        plan.changes.append(
            Change(verb="change", what=f"gold version {version} of {source.code}", detail="note")
        )
    if files.in_force is not None:
        detail = f"version {files.in_force}"
        plan.changes.append(Change(verb="change", what=f"gold in force of {source.code}", detail=detail))
    for file in files.inputs:
        what = f"{file.variant} input version {file.number} of {source.code}"
        plan.changes.append(Change(verb="add", what=what))


def check_release(test_set: TestSet, source: FolderTestSet, *, at: datetime) -> Iterator[Problem]:
    """Runs with a file of a test set show it for ever, so it cannot become secret again."""
    released_at = source.released_at
    if released_at is None or released_at <= at or not test_set.has_released_inputs(at=at):
        return
    submitted = test_set.run_files.exclude(state=RunFile.State.MISSING)
    unchecked = Run.objects.filter(phase__test_sets=test_set, checked_at=None).exclude(state__in=Run.FINAL)
    if submitted.exists() or unchecked.exists():
        field = "revealed_at" if released_at == source.entry["revealed_at"] else "inputs_released_at"
        yield source.entry.problem(
            field,
            f"the test set {source.code} was already released, and runs have been submitted since. "
            "Its release cannot be moved to a later time",
        )


def plan_phases(plan: Plan, folder: TaskFolder) -> None:
    for source in folder.phases:
        name = f"phase {source['code']}"
        existing = None if plan.task is None else plan.task.phases.filter(code=source["code"]).first()
        if existing is None:
            plan.changes.append(Change(verb="add", what=name))
            continue
        plan.changes += find_changes(existing, phase_values(source), name)
        plan.problems += check_times(existing, source)
        before = set(existing.test_sets.values_list("code", flat=True))
        after = test_set_codes(source["test_sets"], folder)
        if before != after:
            detail = "; ".join(
                f"{verb} {', '.join(sorted(codes))}"
                for verb, codes in (("with", after - before), ("without", before - after))
                if codes
            )
            plan.changes.append(Change(verb="change", what=f"test sets of {name}", detail=detail))
        for code in sorted(before - after):
            if RunFile.objects.filter(run__phase=existing, test_set__code=code).exists():
                message = f"{code} has runs in this phase and cannot be removed from it"
                plan.problems.append(source.problem("test_sets", message))


def check_times(phase: Phase, source: YamlEntry) -> Iterator[Problem]:
    """The same rules as on the page Calendar: no run is lost, no test is opened whose gold is known."""
    opens_at, closes_at = source["opens_at"], source["closes_at"]
    if (opens_at, closes_at) == (phase.opens_at, phase.closes_at):
        return
    try:
        refuse_to_invalidate_runs(phase, opens_at, closes_at, at=clock.database_now())
    except Refusal as refusal:
        field = "opens_at" if refusal.id == "runs-before-opening" else "closes_at"
        yield source.problem(field, str(refusal))


def plan_removals(plan: Plan, task: Task, folder: TaskFolder) -> None:
    """Remove what is no longer in the folder, unless runs depend on it: runs are never deleted."""
    for test_set in removed_sets(task, folder):
        plan.changes.append(Change(verb="remove", what=f"test set {test_set.code}"))
        if test_set.run_files.exists():
            message = f"{test_set.code} is not in the folder, but runs have been submitted for it"
            plan.problems.append(folder.task.problem("test_sets", message))
    for phase in removed_phases(task, folder):
        plan.changes.append(Change(verb="remove", what=f"phase {phase.code}"))
        if phase.runs.exists():
            message = f"{phase.code} is not in the folder, but runs have been submitted in it"
            plan.problems.append(folder.task.problem("phases", message))


def removed_sets(task: Task, folder: TaskFolder) -> list[TestSet]:
    return list(task.test_sets.exclude(code__in=[test_set.code for test_set in folder.test_sets]))


def removed_phases(task: Task, folder: TaskFolder) -> list[Phase]:
    return list(task.phases.exclude(code__in=[phase["code"] for phase in folder.phases]))


def test_set_codes(chosen: Sequence[str] | None, folder: TaskFolder) -> set[str]:
    """By default a phase has all test sets of the task."""
    return {test_set.code for test_set in folder.test_sets} if chosen is None else set(chosen)


def find_changes(row: Model, values: Mapping[str, Any], what: str) -> Iterator[Change]:
    names = {field.target: field.name for field in (*TASK, *TEST_SET, *PHASE) if field.target}
    for attribute, after in values.items():
        before = getattr(row, attribute)
        if before != after:
            detail = f"{names.get(attribute, attribute)} {format_value(before)} → {format_value(after)}"
            yield Change(verb="change", what=what, detail=detail)


def format_value(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if value is None or value in ("", []):
        return "nothing"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 60 and "\n" not in text else f"a text of {len(text)} characters"

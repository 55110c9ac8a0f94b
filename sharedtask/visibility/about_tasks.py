"""Questions about a task as a whole: its test sets, their files, its log."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from sharedtask.competition.models import GoldVersion, InputFile, Task, TestSet
from sharedtask.visibility import facts
from sharedtask.visibility.facts import Viewer, role_of
from sharedtask.visibility.table import allowed
from sharedtask.visibility.words import GoldState, Role, Thing


def tasks(viewer: Viewer) -> QuerySet[Task]:
    """All of them; in a rehearsal only the one that is rehearsed, for the clock is moved for no other."""
    rehearsed = getattr(viewer, "rehearsed_task", None)
    return Task.objects.filter(pk=rehearsed.pk) if rehearsed else Task.objects.all()


def test_sets(viewer: Viewer, task: Task, *, at: datetime) -> QuerySet[TestSet]:
    """A set that is not in here must leave no trace: no name, no count, no number in a signature."""
    everything = allowed(Thing.NAME, role_of(viewer, task), facts.Facts(set=facts.SetState.SEALED))
    return task.test_sets.all() if everything else task.test_sets.revealed(at=at)


def groups(viewer: Viewer, task: Task, *, at: datetime) -> list[str]:
    """Groups that have a set the viewer may know of; the name of an empty group would announce one."""
    used = {group for one in test_sets(viewer, task, at=at) for group in one.groups}
    return [group for group in task.groups if group in used]


def inputs(viewer: Viewer, test_set: TestSet, *, at: datetime, role: Role | None = None) -> list[InputFile]:
    """The newest version of each variant that the viewer may download; reads prefetched inputs.

    A page with many test sets asks for the viewer's role once and hands it on.
    """
    role = role or role_of(viewer, test_set.task)
    told = facts.of_test_set(test_set, at=at)
    newest: dict[str, InputFile] = {}
    for file in sorted(test_set.inputs.all(), key=lambda file: file.version):
        if allowed(Thing.SAMPLE if file.is_sample else Thing.INPUT, role, told):
            newest[file.variant] = file
    return sorted(newest.values(), key=lambda file: (not file.is_raw_text, file.variant))


def raw_text(viewer: Viewer, test_set: TestSet, *, at: datetime) -> InputFile | None:
    """What everybody gets, organisers included; `inputs` has what organisers may fetch before. No query."""
    may = allowed(Thing.INPUT, Role.VISITOR, facts.of_test_set(test_set, at=at))
    return test_set.raw_text if may else None


def gold_file(
    viewer: Viewer, test_set: TestSet, *, at: datetime, role: Role | None = None
) -> GoldVersion | None:
    """The version whose plain copy may be downloaded; until a worker has written one, nobody can."""
    version = test_set.gold_in_force
    if version is None or not test_set.is_revealed(at=at) or not version.public_copy:
        return None
    role = role or role_of(viewer, test_set.task)
    may = allowed(Thing.GOLD, role, facts.of_gold(version, at=at))
    return version if may else None


def released_gold(viewer: Viewer, test_sets: Collection[TestSet], *, at: datetime) -> list[GoldVersion]:
    """The versions in force, of test sets of one task, that have been released to this viewer."""
    shown = [one for one in test_sets if one.gold_in_force and one.is_revealed(at=at)]
    if not shown:
        return []
    role = role_of(viewer, shown[0].task)
    versions = [one.gold_in_force for one in shown]
    return [version for version in versions if version and gold_is_out(viewer, version, at=at, role=role)]


def gold_is_out(viewer: Viewer, version: GoldVersion, *, at: datetime, role: Role | None = None) -> bool:
    """Organisers may always see gold, but the site itself cannot open it before its release."""
    told = facts.of_gold(version, at=at)
    role = role or role_of(viewer, version.test_set.task)
    return told.gold == GoldState.RELEASED and bool(version.public_copy) and allowed(Thing.GOLD, role, told)


def audit(viewer: Viewer, task: Task) -> bool:
    return allowed(Thing.AUDIT, role_of(viewer, task), facts.Facts())


def is_elsewhere(viewer: Viewer, task: Task) -> bool:
    """Whether a rehearsal, with its moved clock, is about another task than this one."""
    rehearsed = getattr(viewer, "rehearsed_task", None)
    return rehearsed is not None and rehearsed.pk != task.pk

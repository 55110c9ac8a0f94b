"""What a viewer may see of a task: its test sets, their files, its phases, its log.

The facts are gathered from rows here; `visibility.table` decides.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from sharedtask.accounts.roles import HasKey, Viewer, role_of
from sharedtask.competition.models import GoldVersion, InputFile, Phase, Task, TestSet
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Facts, Feedback, GoldState, PhaseStage, Role, SetState, Thing


def results_published(task: Task, *, at: datetime) -> bool:
    return task.results_published_at is not None and task.results_published_at <= at


def is_published(phase: Phase, *, at: datetime) -> bool:
    """Publishing covers what had begun; a blind phase that opens afterwards is blind until the next time."""
    first = phase.task.results_published_at
    if first is None or first > at:
        return False
    # Only for a phase that opened after the first publication are the later ones asked for.
    return phase.opens_at <= first or phase.task.publications.filter(at__range=(phase.opens_at, at)).exists()


def stage_of_phase(phase: Phase, *, at: datetime) -> PhaseStage:
    """Extensions are not asked for: no cell of the table tells an open phase from a closed one."""
    if is_published(phase, at=at):
        return PhaseStage.PUBLISHED
    if at < phase.opens_at:
        return PhaseStage.BEFORE
    return PhaseStage.OPEN if phase.closes_at is None or at < phase.closes_at else PhaseStage.CLOSED


def facts_of_phase(phase: Phase, *, at: datetime) -> Facts:
    return Facts(phase=stage_of_phase(phase, at=at), feedback=Feedback(phase.feedback))


def facts_of_test_set(test_set: TestSet, *, at: datetime) -> Facts:
    if not test_set.is_revealed(at=at):
        return Facts(set=SetState.SEALED)
    released = test_set.has_released_inputs(at=at)
    return Facts(set=SetState.RELEASED if released else SetState.REVEALED)


def facts_of_gold(version: GoldVersion | None, *, at: datetime) -> Facts:
    return Facts(gold=gold_state(version, at=at))


def gold_state(version: GoldVersion | None, *, at: datetime) -> GoldState:
    released = version is not None and version.released_at is not None and version.released_at <= at
    return GoldState.RELEASED if released else GoldState.SEALED


def tasks(viewer: Viewer) -> QuerySet[Task]:
    """All of them; in a rehearsal only the one that is rehearsed, for the clock is moved for no other."""
    rehearsed = getattr(viewer, "preview_task", None)
    return Task.objects.filter(pk=rehearsed.pk) if rehearsed else Task.objects.all()


def test_sets(viewer: Viewer, task: Task, *, at: datetime) -> QuerySet[TestSet]:
    """A set that is not in here must leave no trace: no name, no count, no number in a signature."""
    everything = allowed(Thing.NAME, role_of(viewer, task), Facts(set=SetState.SEALED))
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
    told = facts_of_test_set(test_set, at=at)
    newest: dict[str, InputFile] = {}
    for file in sorted(test_set.inputs.all(), key=lambda file: file.version):
        if allowed(Thing.SAMPLE if file.is_sample else Thing.INPUT, role, told):
            newest[file.variant] = file
    return sorted(newest.values(), key=lambda file: (not file.is_raw_text, file.variant))


def raw_text(viewer: Viewer, test_set: TestSet, *, at: datetime) -> InputFile | None:
    """What everybody gets, organisers included; `inputs` has what organisers may fetch before. No query."""
    may = allowed(Thing.INPUT, Role.VISITOR, facts_of_test_set(test_set, at=at))
    return test_set.raw_text if may else None


def gold_file(
    viewer: Viewer, test_set: TestSet, *, at: datetime, role: Role | None = None
) -> GoldVersion | None:
    """The version whose plain copy may be downloaded; until a worker has written one, nobody can."""
    version = test_set.gold_in_force
    if version is None or not test_set.is_revealed(at=at) or not version.public_copy:
        return None
    role = role or role_of(viewer, test_set.task)
    may = allowed(Thing.GOLD, role, facts_of_gold(version, at=at))
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
    told = facts_of_gold(version, at=at)
    role = role or role_of(viewer, version.test_set.task)
    return told.gold == GoldState.RELEASED and bool(version.public_copy) and allowed(Thing.GOLD, role, told)


def audit(viewer: Viewer, task: Task) -> bool:
    return allowed(Thing.AUDIT, role_of(viewer, task), Facts())


def is_blind(phase: Phase, *, at: datetime) -> bool:
    """Scores are the organisers' alone: until the results are published, and whatever the clock says."""
    return facts_of_phase(phase, at=at).blind


def phases_to_upload_to(viewer: Viewer, task: Task, team: HasKey | None, *, at: datetime) -> QuerySet[Phase]:
    """Open now for this team; without a team, those that are open at all."""
    return task.phases.open(at=at, team=team)


def queue(viewer: Viewer, phase: Phase, *, at: datetime) -> bool:
    """Whether the viewer may know how many runs of the phase are under way."""
    return allowed(Thing.QUEUE, role_of(viewer, phase.task), facts_of_phase(phase, at=at))

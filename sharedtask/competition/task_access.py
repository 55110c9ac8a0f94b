"""What a viewer may see of a task: its test sets, their files, its phases, its audit log.

This module gathers the facts from the database; `visibility.table` decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db.models import Q, QuerySet

from sharedtask.accounts.roles import HasKey, Viewer, role_of
from sharedtask.competition.models import GoldVersion, InputFile, Phase, Task, TestSet
from sharedtask.competition.withheld_inputs import withheld_variants
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Facts, Feedback, GoldState, PhaseStage, Role, SetState, Thing


def results_published(task: Task, *, at: datetime) -> bool:
    return task.results_published_at is not None and task.results_published_at <= at


def is_over(task: Task, *, at: datetime, read: Iterable[Phase] = ()) -> bool:
    """No phase is open to new teams, and none will be. A task without phases is not over yet.

    Costs no query if one of the phases that have been read already is open without an extension.
    """
    if any(phase.closes_at is None or at < phase.closes_at for phase in read):
        return False
    still_open = Phase.objects.open(at=at).filter(task=task)
    lasts = Q(opens_at__gt=at) | Q(pk__in=still_open.values("pk"))
    phases = list(task.phases.annotate(lasts=lasts).values_list("lasts", flat=True))
    return bool(phases) and not any(phases)


def is_published(phase: Phase, *, at: datetime) -> bool:
    """A publication covers the phases that had begun, except those that organisers withheld.

    A later blind phase is blind until the next publication.
    """
    first = phase.task.results_published_at
    if first is None or first > at or phase.results_withheld:
        return False
    # Later publications are queried only for a phase that opened after the first one.
    return phase.opens_at <= first or phase.task.publications.filter(at__range=(phase.opens_at, at)).exists()


def stage_of_phase(phase: Phase, *, at: datetime) -> PhaseStage:
    """Extensions are ignored: no cell of the table distinguishes an open phase from a closed one."""
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


def facts_of_withheld(test_set: TestSet, facts: Facts, *, at: datetime) -> Facts:
    """Of a variant that has hidden gold of a track: not released until gold itself is."""
    is_secret = facts_of_gold(test_set.gold_in_force, at=at).gold != GoldState.RELEASED
    return Facts(set=SetState.REVEALED) if is_secret and facts.set == SetState.RELEASED else facts


def facts_of_gold(version: GoldVersion | None, *, at: datetime) -> Facts:
    return Facts(gold=gold_state(version, at=at))


def gold_state(version: GoldVersion | None, *, at: datetime) -> GoldState:
    return state_of_gold(version.released_at if version else None, at=at)


def state_of_gold(released_at: datetime | None, *, at: datetime) -> GoldState:
    """Of a version that is released at this time, or has not been released at all."""
    return GoldState.RELEASED if released_at is not None and released_at <= at else GoldState.SEALED


def tasks(viewer: Viewer) -> QuerySet[Task]:
    """All tasks; in a preview only its own task, because the shifted time applies to no other."""
    preview_task = getattr(viewer, "preview_task", None)
    return Task.objects.filter(pk=preview_task.pk) if preview_task else Task.objects.all()


def test_sets(viewer: Viewer, task: Task, *, at: datetime) -> QuerySet[TestSet]:
    """A set that is not among them must leave no trace: no name, no count, no number in a signature."""
    everything = allowed(Thing.NAME, role_of(viewer, task), Facts(set=SetState.SEALED))
    return task.test_sets.all() if everything else task.test_sets.revealed(at=at)


def groups(viewer: Viewer, task: Task, *, at: datetime) -> list[str]:
    """Groups with a visible test set; the name of an empty group would reveal a hidden one."""
    used = {group for test_set in test_sets(viewer, task, at=at) for group in test_set.groups}
    return [group for group in task.groups if group in used]


def inputs(
    viewer: Viewer,
    test_set: TestSet,
    *,
    at: datetime,
    role: Role | None = None,
    withheld: Collection[str] | None = None,
) -> list[InputFile]:
    """The newest version of each variant that the viewer may download; uses prefetched inputs.

    A page with many test sets determines the viewer's role and the withheld variants once and passes them in.
    """
    role = role or role_of(viewer, test_set.task)
    withheld = withheld_variants(test_set.task, at=at) if withheld is None else withheld
    facts = facts_of_test_set(test_set, at=at)
    newest: dict[str, InputFile] = {}
    for file in sorted(test_set.inputs.all(), key=lambda file: file.version):
        of_file = facts_of_withheld(test_set, facts, at=at) if file.variant in withheld else facts
        if allowed(Thing.SAMPLE if file.is_sample else Thing.INPUT, role, of_file):
            newest[file.variant] = file
    return sorted(newest.values(), key=lambda file: (not file.is_given, file.variant))


def given_input(viewer: Viewer, test_set: TestSet, *, at: datetime) -> InputFile | None:
    """What everybody may download. `inputs` includes what organisers may see earlier. No query."""
    is_public = allowed(Thing.INPUT, Role.VISITOR, facts_of_test_set(test_set, at=at))
    return test_set.given_input if is_public else None


def gold_file(
    viewer: Viewer, test_set: TestSet, *, at: datetime, role: Role | None = None
) -> GoldVersion | None:
    """The version whose decrypted copy may be downloaded; None until a worker has written the copy."""
    version = test_set.gold_in_force
    if version is None or not test_set.is_revealed(at=at) or not version.public_copy:
        return None
    role = role or role_of(viewer, test_set.task)
    return version if allowed(Thing.GOLD, role, facts_of_gold(version, at=at)) else None


def released_gold(viewer: Viewer, test_sets: Collection[TestSet], *, at: datetime) -> list[GoldVersion]:
    """The versions in force of these test sets of one task that are released to this viewer."""
    revealed = [test_set for test_set in test_sets if test_set.gold_in_force and test_set.is_revealed(at=at)]
    if not revealed:
        return []
    role = role_of(viewer, revealed[0].task)
    versions = [test_set.gold_in_force for test_set in revealed]
    return [
        version for version in versions if version and gold_is_available(viewer, version, at=at, role=role)
    ]


def gold_is_available(
    viewer: Viewer, version: GoldVersion, *, at: datetime, role: Role | None = None
) -> bool:
    """Organisers may always see gold, but the site itself cannot decrypt it before its release."""
    facts = facts_of_gold(version, at=at)
    role = role or role_of(viewer, version.test_set.task)
    return facts.gold == GoldState.RELEASED and bool(version.public_copy) and allowed(Thing.GOLD, role, facts)


def may_see_audit_log(viewer: Viewer, task: Task) -> bool:
    return allowed(Thing.AUDIT, role_of(viewer, task), Facts())


def is_blind(phase: Phase, *, at: datetime) -> bool:
    """Whether scores are visible to organisers only: until the results are published, at any time."""
    return facts_of_phase(phase, at=at).blind


def phases_to_upload_to(viewer: Viewer, task: Task, team: HasKey | None, *, at: datetime) -> QuerySet[Phase]:
    """Those open now for this team, or, without a team, for all teams."""
    return task.phases.open(at=at, team=team)


def may_see_queue(viewer: Viewer, phase: Phase, *, at: datetime) -> bool:
    """Whether the viewer may know how many runs of the phase are in progress."""
    return allowed(Thing.QUEUE, role_of(viewer, phase.task), facts_of_phase(phase, at=at))

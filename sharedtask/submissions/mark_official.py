"""Mark or unmark a run as the team's official run. Teams and organisers each have their own mark.

In: the run and who acts. Out: the marks of the team's runs in that phase and track, at most one of each kind,
and an entry in the audit log. `official.py` decides what the marks mean. Where the task ranks marked runs in
open phases (`ranked_run.py`), a team may mark one run of each system there.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons, task_access
from sharedtask.competition.known_answers import gold_is_released, scores_visible_elsewhere
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import notify, official
from sharedtask.submissions.models import Run
from sharedtask.submissions.models.run import RunQuerySet
from sharedtask.teams.models import Team


def mark_by_team(*, run: Run, by: User, at: datetime | None = None) -> None:
    """Allowed while the phase is open, or as long as nobody can have seen a score of it."""
    at = at or clock.database_now()
    refuse_unmarkable(run)
    if run.origin == Run.Origin.COMBINED:
        raise Refusal("mark-combined", "This run was combined by the organisers; only they can mark it.")
    with transaction.atomic():
        siblings = siblings_of(run)
        refuse_after_scores_known(run, at=at)
        siblings.update(marked_official_at=None)
        Run.objects.filter(pk=run.pk).update(marked_official_at=at)
        write_audit_entry(run, by, "mark-official", "", at)
        request_standings(run.phase_id, at=at)


def unmark_by_team(*, run: Run, by: User, at: datetime | None = None) -> None:
    at = at or clock.database_now()
    with transaction.atomic():
        siblings_of(run)
        refuse_after_scores_known(run, at=at)
        Run.objects.filter(pk=run.pk).update(marked_official_at=None)
        write_audit_entry(run, by, "unmark-official", "", at)
        request_standings(run.phase_id, at=at)


def mark_by_organiser(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    """Overrides the team's mark, which stays unchanged."""
    at = at or clock.database_now()
    reasons.required(reason)
    refuse_unmarkable(run)
    if not run.phase.is_official:
        raise Refusal("mark-outside-the-test", f"{run.phase.title} has no official runs.")
    with transaction.atomic():
        siblings_of(run).update(marked_by_organiser=False)
        Run.objects.filter(pk=run.pk).update(marked_by_organiser=True)
        write_audit_entry(run, by, "mark-official-by-organiser", reason, at)
        request_standings(run.phase_id, at=at)
        notify.send_decision_notice(run, "marked as the official run", at=at)


def unmark_by_organiser(*, run: Run, by: User, reason: str, at: datetime | None = None) -> None:
    at = at or clock.database_now()
    reasons.required(reason)
    with transaction.atomic():
        siblings_of(run).update(marked_by_organiser=False)
        write_audit_entry(run, by, "unmark-official-by-organiser", reason, at)
        request_standings(run.phase_id, at=at)


def may_mark(run: Run, *, at: datetime) -> bool:
    try:
        refuse_after_scores_known(run, at=at)
    except Refusal:
        return False
    return True


def refuse_after_scores_known(run: Run, *, at: datetime) -> None:
    """While the phase is open a team chooses freely; afterwards only as long as no scores can be known."""
    phase = run.phase
    if phase.is_open(at=at, team=run.team):
        return
    if not phase.is_official:
        raise Refusal("mark-too-late", f"{phase.title} has closed. Its ranked runs can no longer be changed.")
    if not task_access.is_blind(phase, at=at):
        raise Refusal(
            "mark-too-late", "Results have been published. The official run can no longer be changed."
        )
    if gold_is_released(phase) or scores_visible_elsewhere(phase, at=at):
        raise Refusal(
            "scores-can-be-known",
            f"Scores of {phase.title} may already be known. The official run can no longer be changed.",
        )
    withdrawn = official.withdrawn_official(phase, official.candidates_of(run.team, phase, run.track))
    if withdrawn is not None:
        raise Refusal(
            "official-run-withdrawn",
            f"Your official run, run {withdrawn.number}, was withdrawn after {phase.title} had closed. "
            "Only the organisers can choose another.",
        )


def has_marks(phase: Phase) -> bool:
    return phase.is_official or phase.open_policy == Task.OpenPolicy.MARKED


def refuse_unmarkable(run: Run) -> None:
    if not has_marks(run.phase):
        raise Refusal("mark-outside-the-test", f"{run.phase.title} has no official runs.")
    if run.phase.is_official and not run.system.is_primary:
        raise Refusal("mark-secondary", "Only a run of the team's primary system can be official.")
    if run.training_size is not None:
        raise Refusal("mark-in-series", "A run in a series of training samples cannot be official.")
    if run.status != Run.Status.COUNTS or run.state == Run.State.REFUSED:
        raise Refusal("cannot-mark-run", "A run that was refused, withdrawn or rejected cannot be official.")


def siblings_of(run: Run) -> RunQuerySet:
    """The runs among which one is marked. Locks the team's row, so that two marks cannot be set at once."""
    Team.objects.select_for_update().get(pk=run.team_id)
    runs = Run.objects.filter(team_id=run.team_id, phase_id=run.phase_id, track=run.track)
    return runs if run.phase.is_official else runs.filter(system=run.system_id)


def write_audit_entry(run: Run, by: User, action: str, reason: str, at: datetime) -> None:
    audit.write(
        task=run.task,
        who=by,
        action=action,
        subject=run,
        reason=reason,
        details={"run": run.public_id, "phase": run.phase.code},
        at=at,
    )

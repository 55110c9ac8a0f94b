"""Organisers combine several runs of a team into one, in a stated order.

In: the runs, in order of preference. Out: a new run of the same system and phase that takes the first valid
file for each test set and records the run it comes from. Nothing is checked again; the files are scored as
usual. A combined run uses no quota and is official only if an organiser marks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from evaluation.ranking.combine import combine as first_valid
from evaluation.ranking.results import Outcome
from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import notify, workflow
from sharedtask.submissions.mark_official import mark_by_organiser
from sharedtask.submissions.models import CombinedPart, Run, RunFile
from sharedtask.teams.models import Team


def combine_by_numbers(*, run: Run, order: Sequence[str], official: bool, by: User, reason: str) -> Run:
    """Runs of one team by their numbers. If the result cannot be marked as requested, nothing is created."""
    with transaction.atomic():
        combined = combine(parts=runs_numbered(run.team, order), by=by, reason=reason)
        if official:
            mark_by_organiser(run=combined, by=by, reason=reason)
    return combined


def runs_numbered(team: Team, numbers: Sequence[str]) -> list[Run]:
    by_number = {str(run.number): run for run in team.runs.select_related("task", "phase", "system")}
    unknown = [number for number in numbers if number not in by_number]
    if unknown:
        raise Refusal("combine-unknown-run", f"{team.name} has no run {', '.join(unknown)}.")
    return [by_number[number] for number in numbers]


def combine(*, parts: Sequence[Run], by: User, reason: str, at: datetime | None = None) -> Run:
    at = at or clock.database_now()
    reason = reasons.required(reason)
    refuse_invalid_parts(parts)
    first = parts[0]
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=first.team_id)
        combined = Run.objects.create(
            task_id=first.task_id,
            phase=first.phase,
            team=team,
            system=first.system,
            track=first.track,
            number=(team.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
            uploaded_by=by,
            on_behalf=True,
            origin=Run.Origin.COMBINED,
            filename="runs " + ", ".join(str(part.number) for part in parts),
            received_at=at,
            dispatched_at=at,
            uses_quota=False,
            produced={code: None for part in parts for code in part.produced},
            state=Run.State.CHECKING,
        )
        CombinedPart.objects.bulk_create(
            CombinedPart(combined=combined, part=part, position=position, added_at=at)
            for position, part in enumerate(parts, start=1)
        )
        RunFile.objects.bulk_create(combined_files(combined, parts))
        audit.write(
            task=first.task,
            who=by,
            action="combine-runs",
            subject=combined,
            reason=reason,
            details={"run": combined.public_id, "parts": [part.public_id for part in parts]},
            at=at,
        )
        notify.send_combined_notice(combined, parts, at=at)
        workflow.finish_check(combined)
    combined.refresh_from_db()
    return combined


def refuse_invalid_parts(parts: Sequence[Run]) -> None:
    if len({part.pk for part in parts}) < max(2, len(parts)):
        raise Refusal("combine-too-few", "Enter at least two runs, each only once.")
    if len({(part.team_id, part.phase_id, part.system_id, part.track) for part in parts}) > 1:
        track = ", track" if any(part.track for part in parts) else ""
        raise Refusal("combine-mixed", f"All runs must be of the same system{track} and phase.")
    unfit = [part for part in parts if part.checked_at is None or part.status != Run.Status.COUNTS]
    if unfit:
        numbers = ", ".join(str(part.number) for part in unfit)
        raise Refusal(
            "cannot-combine-run",
            f"Runs that are unchecked, refused, withdrawn or rejected cannot be combined: {numbers}.",
        )


def combined_files(combined: Run, parts: Sequence[Run]) -> list[RunFile]:
    """One row per test set of any of the parts."""
    files = RunFile.objects.filter(run__in=parts).select_related("taken_from", "test_set")
    by_part: dict[str, dict[str, RunFile]] = {part.public_id: {} for part in parts}
    ids = {part.pk: part.public_id for part in parts}
    for file in files:
        by_part[ids[file.run_id]][file.test_set.code] = file
    chosen = first_valid(
        [
            (id, {code: Outcome(status=file.state) for code, file in own.items()})  # type: ignore[arg-type]
            for id, own in by_part.items()
        ]
    )
    rows = []
    for test_set in {file.test_set.pk: file.test_set for file in files}.values():
        row = RunFile(run=combined, test_set=test_set, state=RunFile.State.MISSING)
        if test_set.code in chosen:
            copy_file(row, by_part[chosen[test_set.code].run][test_set.code])
        rows.append(row)
    return rows


def copy_file(row: RunFile, source: RunFile) -> None:
    """Copy file and verdict; if the source was inherited itself, refer to the file of the original run."""
    row.taken_from = source.taken_from or source
    for field in ("state", "output", "sha256", "size_bytes", "incidents", "incident_counts"):
        setattr(row, field, getattr(source, field))

"""Start, stop, resume and publish an experiment: acts of its team, or of an organiser, who gives a reason.

Whatever is refused here is asked again for each execution: gold that is not public, a withdrawn system, a
removed image, a missing label, the quota.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.competition import audit, reasons
from sharedtask.competition.error_classes import class_file
from sharedtask.competition.models import Task, TestSet
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.software import quota
from sharedtask.software.availability import refuse_if_unavailable
from sharedtask.software.models import StoredImage, SystemVersion
from sharedtask.software.public_gold import WHY, with_public_gold
from sharedtask.software.request_execution import refuse_unusable
from sharedtask.teams.models import Team
from sharedtask.work import dispatch
from sharedtask.work.lease import fresh_lease
from sharedtask.work.targets import ADVANCE_EXPERIMENT


def usable_test_sets(task: Task, *, at: datetime) -> list[TestSet]:
    """With gold that is public, and that a worker has decrypted."""
    test_sets = task.test_sets.select_related("gold_in_force", "task")
    return [
        test_set
        for test_set in with_public_gold(test_sets, at=at)
        if test_set.gold_in_force and test_set.gold_in_force.public_copy
    ]


def usable_versions(task: Task, team: Team | None = None) -> list[SystemVersion]:
    """Those of the task, or of one team, whose image declares that it honours constraints."""
    versions = SystemVersion.objects.filter(
        system__team__task=task, system__withdrawn_at=None, image__state=StoredImage.State.READY
    )
    if team is not None:
        versions = versions.filter(system__team=team)
    related = versions.select_related("system__team__task", "image").order_by("-created_at", "-pk")
    return [version for version in related if version.image.honours_constraints]


def start_experiment(
    *, version: SystemVersion, test_sets: Collection[TestSet], by: User, reason: str = ""
) -> Experiment:
    at = clock.database_now()
    refuse_if_unavailable()
    refuse_unusable(version)
    task = version.system.team.task
    if not version.image.honours_constraints:
        raise Refusal("label-missing", "The image does not declare that the system honours constraints.")
    usable = {test_set.pk: test_set for test_set in usable_test_sets(task, at=at)}
    chosen = [usable[test_set.pk] for test_set in test_sets if test_set.pk in usable]
    if not chosen or len(chosen) < len(test_sets):
        raise Refusal("gold-not-public", f"Choose test sets whose gold is public. {WHY}")
    with transaction.atomic():
        team = Team.objects.select_for_update().select_related("task").get(pk=version.system.team_id)
        refuse_another(team)
        if not reason:
            quota.refuse_beyond_experiments(team, at=at)
        experiment = Experiment.objects.create(
            task=task,
            team=team,
            version=version,
            classes=class_file(task),
            requested_by=by,
            on_behalf=bool(reason),
            requested_at=at,
            dispatched_at=at,
        )
        ExperimentSet.objects.bulk_create(
            ExperimentSet(experiment=experiment, test_set=test_set, gold=test_set.gold_in_force)
            for test_set in chosen
        )
        if reason:
            write_audit_entry("start-experiment", experiment, by, reason, at=at)
        dispatch.enqueue(ADVANCE_EXPERIMENT, experiment.public_id)
    return experiment


def refuse_another(team: Team) -> None:
    if Experiment.objects.under_way().filter(team=team).exists():
        raise Refusal(
            "experiment-under-way",
            "An experiment of this team is under way. The next one can be started when it has ended.",
        )


def stop_experiment(*, experiment: Experiment, by: User, reason: str = "") -> None:
    """A worker stops its executions; what is done is kept for when it is resumed."""
    at = clock.database_now()
    problem = "It was stopped by the organisers." if reason else "It was stopped by the team."
    with transaction.atomic():
        under_way = Experiment.objects.under_way().filter(pk=experiment.pk)
        if not under_way.update(stop_requested_at=at, problem=problem):
            raise Refusal("experiment-has-ended", "This experiment has already ended.")
        if reason:
            write_audit_entry("stop-experiment", experiment, by, reason, at=at)
        dispatch.enqueue(ADVANCE_EXPERIMENT, experiment.public_id)


def resume_experiment(*, experiment: Experiment, by: User, reason: str = "") -> None:
    """Only parts without a result are run again."""
    at = clock.database_now()
    refuse_unusable(experiment.version)
    ended = [Experiment.State.STOPPED, Experiment.State.FAILED]
    values: dict[str, Any] = {
        "state": Experiment.State.PREPARING,
        "resumed_at": at,
        "stop_requested_at": None,
        "finished_at": None,
        "problem": "",
    }
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=experiment.team_id)
        refuse_another(team)
        row = Experiment.objects.filter(pk=experiment.pk, state__in=ended)
        if not row.update(**values, **fresh_lease(at)):
            raise Refusal("experiment-not-ended", "Only a stopped or failed experiment can be resumed.")
        if reason:
            write_audit_entry("resume-experiment", experiment, by, reason, at=at)
        dispatch.enqueue(ADVANCE_EXPERIMENT, experiment.public_id)


def publish_experiment(*, experiment: Experiment, by: User, reason: str = "") -> None:
    """Everybody can see its figures and sentences from now on."""
    at = clock.database_now()
    with transaction.atomic():
        done = Experiment.objects.done().filter(pk=experiment.pk, published_at=None)
        if not done.update(published_at=at):
            raise Refusal("nothing-to-publish", "Only a finished experiment can be published, and only once.")
        if reason:
            write_audit_entry("publish-experiment", experiment, by, reason, at=at)


def write_audit_entry(action: str, experiment: Experiment, by: User, reason: str, *, at: datetime) -> None:
    audit.write(
        task=experiment.task,
        who=by,
        action=action,
        subject=experiment,
        reason=reasons.required(reason),
        details={"experiment": experiment.public_id, "version": str(experiment.version)},
        at=at,
    )

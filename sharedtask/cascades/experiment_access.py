"""What a viewer may see of experiments. This module gathers the facts; `visibility.table` decides."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Prefetch

from sharedtask.accounts.roles import Viewer, previews_another_task, role_of, team_id_of
from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.competition.task_access import gold_state
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import ExperimentStage, Facts, GoldState, Role, Thing


def facts_of_experiment(experiment: Experiment, gold: Iterable[GoldVersion], *, at: datetime) -> Facts:
    """Gold counts as released once all versions that it was made from are.

    When its system is withdrawn, it is not public any more.
    """
    states = {gold_state(version, at=at) for version in gold}
    is_withdrawn = experiment.version.system.withdrawn_at is not None
    is_published = not is_withdrawn and experiment.published_at is not None and experiment.published_at <= at
    return Facts(
        experiment=ExperimentStage.PUBLISHED if is_published else ExperimentStage.PRIVATE,
        gold=GoldState.RELEASED if states == {GoldState.RELEASED} else GoldState.SEALED,
    )


def visible_experiments(viewer: Viewer, task: Task, *, at: datetime) -> list[Experiment]:
    """In a number of queries that does not grow with the experiments."""
    related = ("task", "team", "version__system__team", "version__image")
    sets = ExperimentSet.objects.select_related("test_set", "gold").defer("counts")
    experiments = task.experiments.select_related(*related).prefetch_related(Prefetch("sets", sets))
    if previews_another_task(viewer, task):
        return []
    role, own = role_of(viewer, task), team_id_of(viewer, task)
    visible = []
    for row in experiments:
        facts = facts_of_experiment(row, [each.gold for each in row.sets.all()], at=at)
        is_strange = role == Role.MEMBER and own != row.team_id
        if allowed(Thing.EXPERIMENT, Role.OTHER_TEAM if is_strange else role, facts):
            visible.append(row)
    return visible


def may_change(viewer: Viewer, experiment: Experiment) -> bool:
    """Members of its team and organisers; nobody in a preview, which is read-only."""
    role = role_of(viewer, experiment.task, experiment.team)
    return role in (Role.MEMBER, Role.ORGANISER)

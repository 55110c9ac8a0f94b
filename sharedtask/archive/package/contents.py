"""What goes into the package of a publication: what a visitor may see of it, and nothing else.

In: a publication and the moment. Out: `Contents`, and a hash of it. Everybody gets the same package, so that
everything is asked for as somebody who is not signed in. Where gold has not been released there are neither
counts nor outputs nor gold; a run that was rejected or hidden since leaves its outputs out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser

import evaluation
from sharedtask.competition import task_access
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.standings import standing_access
from sharedtask.standings.inputs import rules_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access
from sharedtask.visibility.terms import Thing

FORMAT = 2
"""Raised when the package is written in another way: all are then written anew."""
VISITOR = AnonymousUser()


@dataclass(frozen=True, kw_only=True)
class SetInside:
    test_set: TestSet
    gold: GoldVersion
    is_out: bool
    """Gold has been released: it comes along, and so do counts and outputs."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    task: Task
    publication: Publication
    standings: tuple[Standing, ...]
    """Without the whole document, which is read when the package is written."""
    sets: Mapping[str, SetInside]
    """By code: the gold that the standings cite."""
    runs: Mapping[str, Run]
    names: Mapping[str, str]
    """The name of each run's team, by the run's public id."""
    system_names: Mapping[str, str]
    """Likewise of its system."""
    open_runs: frozenset[str]
    """Runs whose counts and outputs may be seen, as far as gold has been released."""

    @property
    def phases(self) -> list[Phase]:
        return list({standing.phase_id: standing.phase for standing in self.standings}.values())

    def standings_of(self, phase: Phase) -> list[Standing]:
        return [one for one in self.standings if one.phase_id == phase.pk]

    def is_exact(self, standing: Standing) -> bool:
        """Whether its figures may be told in full: gold of all its test sets is in the package."""
        return all(code in self.sets and self.sets[code].is_out for code in standing.table.get("gold", {}))

    @property
    def can_be_computed_again(self) -> bool:
        """Whoever has the package has everything that the figures were made of."""
        return all(one.is_out for one in self.sets.values()) and self.open_runs == set(self.runs)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(self.told(), sort_keys=True).encode()).hexdigest()

    def told(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "evaluator": evaluation.VERSION,
            "rules": rules_of(self.task),
            "texts": [self.task.title, self.task.description, self.task.citation, self.task.data_licence],
            "published": self.publication.at.isoformat(),
            "standings": [[one.public_id, one.signature] for one in self.standings],
            "sets": [[code, one.gold.sha256, one.is_out] for code, one in self.sets.items()],
            "runs": [
                [id, self.names[id], self.system_names[id], run.fate, id in self.open_runs]
                for id, run in self.runs.items()
            ],
        }


def latest_publication(task: Task, *, at: datetime) -> Publication | None:
    return task.publications.filter(at__lte=at).select_related("task").first()


def contents_of(publication: Publication, *, at: datetime) -> Contents:
    """A handful of queries, whatever the size."""
    task = publication.task
    standings = publication.standings.select_related("phase__task").order_by("phase__code", "ranking")
    shown = tuple(one for one in standings if standing_access.standing(VISITOR, one, at=at))
    runs = runs_in(shown)
    names = team_access.names(VISITOR, task, at=at)
    return Contents(
        task=task,
        publication=publication,
        standings=shown,
        sets=sets_in(task, shown, at=at),
        runs=runs,
        names={id: names.team(run.team) for id, run in runs.items()},
        system_names={id: names.system(run.system, run.team) for id, run in runs.items()},
        open_runs=frozenset(
            run.public_id for run in run_access.runs_with(VISITOR, Thing.OUTPUT, runs.values(), at=at)
        ),
    )


def runs_in(standings: tuple[Standing, ...]) -> dict[str, Run]:
    named = {row["run"] for one in standings for row in one.table["rows"]}
    runs = Run.objects.filter(public_id__in=named).select_related("task", "phase__task", "team", "system")
    return {run.public_id: run for run in runs.order_by("public_id")}


def sets_in(task: Task, standings: tuple[Standing, ...], *, at: datetime) -> dict[str, SetInside]:
    cited: dict[str, int] = {}
    for one in standings:
        cited |= one.table.get("gold", {})
    known = {one.pk for one in task_access.test_sets(VISITOR, task, at=at)}
    versions = GoldVersion.objects.filter(test_set__in=known, test_set__code__in=cited)
    return {
        version.test_set.code: SetInside(
            test_set=version.test_set,
            gold=version,
            is_out=task_access.gold_is_available(VISITOR, version, at=at),
        )
        for version in versions.select_related("test_set__task").order_by("test_set__code", "number")
        if cited[version.test_set.code] == version.number
    }

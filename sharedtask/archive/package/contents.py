"""Collect the contents of a data package: what a visitor may see of a publication, and nothing else.

In: a publication and a time. Out: `Contents` and its hash. Everybody gets the same package, so visibility is
that of an anonymous visitor. Without released gold there are no counts, outputs or gold; the outputs of a run
that has since been rejected or hidden are left out.
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
from evaluation.signature import gold_hash, narrow_signature
from sharedtask.cascades.experiment_access import visible_experiments
from sharedtask.cascades.models import Experiment
from sharedtask.cascades.names import system_name
from sharedtask.competition import task_access
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.standings import standing_access
from sharedtask.standings.entries import rules_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.signature import gold_hash_key, signature_of
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access
from sharedtask.visibility.terms import Thing

FORMAT = 2
"""Increase it when the format of the package changes: all packages are then written again."""
VISITOR = AnonymousUser()
SEALED_GOLD = "|gold:hmac-"
"""In the signature of a standing that was computed before its gold was released."""


@dataclass(frozen=True, kw_only=True)
class FormerSignature:
    text: str
    is_verified: bool
    """The HMAC in it is that of the gold in the package; only the server, which has the key, can say so."""


@dataclass(frozen=True, kw_only=True)
class PackagedSet:
    test_set: TestSet
    gold: GoldVersion
    gold_is_public: bool
    """Gold has been released: the package includes it, with counts and outputs."""

    @property
    def shows_references(self) -> bool:
        return self.gold_is_public and self.gold.has_references


@dataclass(frozen=True, kw_only=True)
class PackagedExperiment:
    experiment: Experiment
    system: str
    """As visitors read it."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    task: Task
    publication: Publication
    standings: tuple[Standing, ...]
    """Without `data`, which is read when the package is written."""
    sets: Mapping[str, PackagedSet]
    """By code, with the gold version that the standings use."""
    runs: Mapping[str, Run]
    names: Mapping[str, str]
    """The name of each run's team, by the run's public id."""
    system_names: Mapping[str, str]
    """The name of each run's system, by the run's public id."""
    open_runs: frozenset[str]
    """Runs whose counts and outputs are public if gold is."""
    experiments: Mapping[str, PackagedExperiment]
    """Published experiments with constraints, by public id."""

    @property
    def phases(self) -> list[Phase]:
        return list({standing.phase_id: standing.phase for standing in self.standings}.values())

    def standings_of(self, phase: Phase) -> list[Standing]:
        return [standing for standing in self.standings if standing.phase_id == phase.pk]

    def is_exact(self, standing: Standing) -> bool:
        """Whether unrounded figures are allowed: the gold of all its test sets is in the package."""
        return all(
            code in self.sets and self.sets[code].gold_is_public for code in standing.table.get("gold", {})
        )

    def signature(self, standing: Standing) -> str:
        """With the hash of gold if the gold of all its test sets is in the package."""
        return signature_of(standing, is_released=self.is_exact(standing))

    def former_signature(self, standing: Standing) -> FormerSignature | None:
        """The one that readers saw before gold was released; None if gold was public all the time."""
        if SEALED_GOLD not in standing.signature or not self.is_exact(standing):
            return None
        gold = {code: self.sets[code].gold.combined_sha256 for code in standing.table["gold"]}
        again = narrow_signature(standing.signature, gold=gold_hash(gold, gold_hash_key()))
        return FormerSignature(text=standing.signature, is_verified=again == standing.signature)

    @property
    def is_reproducible(self) -> bool:
        """Whether the package contains everything that the figures were computed from."""
        return all(packaged.gold_is_public for packaged in self.sets.values()) and self.open_runs == set(
            self.runs
        )

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(self.fingerprint(), sort_keys=True).encode()).hexdigest()

    def fingerprint(self) -> dict[str, Any]:
        """Everything that the bytes of the package depend on."""
        return {
            "format": FORMAT,
            "evaluator": evaluation.VERSION,
            "rules": rules_of(self.task),
            "texts": self.texts(),
            "test_sets_total": self.task.test_sets_total,
            "published": self.publication.at.isoformat(),
            "standings": [[standing.public_id, standing.signature] for standing in self.standings],
            "sets": [
                [code, item.gold.combined_sha256, item.gold_is_public] for code, item in self.sets.items()
            ],
            "runs": [
                [id, self.names[id], self.system_names[id], run.status, id in self.open_runs]
                for id, run in self.runs.items()
            ],
            "experiments": [[id, item.system] for id, item in self.experiments.items()],
        }

    def disclosed(self) -> list[list[str]]:
        """What readers of the package learn, item by item, to find out later whether all of it is public."""
        return [
            *(["text", text] for text in self.texts()),
            *(["standing", standing.public_id] for standing in self.standings),
            *(["set", code] for code in self.sets),
            *(
                ["gold", code, str(item.gold.number)]
                for code, item in self.sets.items()
                if item.gold_is_public
            ),
            *(
                ["run", id, run.status, self.names[id], self.system_names[id]]
                for id, run in self.runs.items()
            ),
            *(["output", id] for id in sorted(self.open_runs)),
            *(["experiment", id, item.system] for id, item in self.experiments.items()),
        ]

    def texts(self) -> list[str]:
        return [self.task.title, self.task.description, self.task.citation, self.task.data_licence]


def latest_publication(task: Task, *, at: datetime) -> Publication | None:
    return task.publications.filter(at__lte=at).select_related("task").first()


def contents_of(publication: Publication, *, at: datetime) -> Contents:
    """The number of queries does not depend on the size of the task."""
    task = publication.task
    standings = publication.standings.select_related("phase__task").order_by(
        "phase__code", "track", "ranking"
    )
    visible = tuple(standing for standing in standings if standing_access.standing(VISITOR, standing, at=at))
    runs = runs_in(visible)
    names = team_access.names(VISITOR, task, at=at)
    return Contents(
        task=task,
        publication=publication,
        standings=visible,
        sets=sets_in(task, visible, at=at),
        runs=runs,
        names={id: names.team(run.team) for id, run in runs.items()},
        system_names={id: names.system(run.system, run.team) for id, run in runs.items()},
        open_runs=frozenset(
            run.public_id for run in run_access.runs_with(VISITOR, Thing.OUTPUT, runs.values(), at=at)
        ),
        experiments={
            row.public_id: PackagedExperiment(experiment=row, system=system_name(names, row))
            for row in visible_experiments(VISITOR, task, at=at)
        },
    )


def runs_in(standings: tuple[Standing, ...]) -> dict[str, Run]:
    ids = {row["run"] for standing in standings for row in standing.table["rows"]}
    runs = Run.objects.filter(public_id__in=ids).select_related("task", "phase__task", "team", "system")
    return {run.public_id: run for run in runs.order_by("public_id")}


def sets_in(task: Task, standings: tuple[Standing, ...], *, at: datetime) -> dict[str, PackagedSet]:
    used: dict[str, int] = {}
    for standing in standings:
        used |= standing.table.get("gold", {})
    visible = {test_set.pk for test_set in task_access.test_sets(VISITOR, task, at=at)}
    versions = GoldVersion.objects.filter(test_set__in=visible, test_set__code__in=used)
    return {
        version.test_set.code: PackagedSet(
            test_set=version.test_set,
            gold=version,
            gold_is_public=task_access.gold_is_available(VISITOR, version, at=at),
        )
        for version in versions.select_related("test_set__task").order_by("test_set__code", "number")
        if used[version.test_set.code] == version.number
    }

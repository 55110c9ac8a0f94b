"""A test set in the sentence browser: the version of gold that is shown, and the systems to compare with it.

In: a reader, a test set, the moment, and what the address names. Out: `AnalysedSet`; None where there is
nothing for this viewer, for example because gold is not released. The number of queries does not grow with
the number of systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from evaluation.showing.gold_sentences import GoldSentences
from sharedtask.accounts.roles import Viewer
from sharedtask.analysis import sentence_cache
from sharedtask.analysis.models import FORMAT, Analysis, GoldAnalysis
from sharedtask.competition import task_access
from sharedtask.competition.models import GoldVersion, TestSet
from sharedtask.standings.query import ResultsQuery
from sharedtask.standings.standing_view import display_name
from sharedtask.standings.visible_standings import VisibleStanding, choose_standing, visible_standings
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access
from sharedtask.visibility.terms import Thing


@dataclass(frozen=True, kw_only=True)
class AnalysedSystem:
    """A run whose output on the test set has been analysed."""

    run: Run
    name: str
    analysis: str
    """Public id of its analysis."""
    output: str
    """Name of the file in storage."""
    size_bytes: int
    is_ranked: bool
    """False for a run that is listed because the address names it, or because it is the reader's own."""

    @property
    def id(self) -> str:
        return self.run.public_id


@dataclass(frozen=True, kw_only=True)
class AnalysedSet:
    test_set: TestSet
    source: VisibleStanding | None
    """The standing whose systems are listed."""
    rankings: tuple[VisibleStanding, ...]
    """All standings that have the test set."""
    gold: GoldVersion
    sentences: GoldSentences
    systems: tuple[AnalysedSystem, ...]

    @property
    def ranked(self) -> list[AnalysedSystem]:
        return [system for system in self.systems if system.is_ranked]

    def named(self, ids: Sequence[str]) -> list[AnalysedSystem] | None:
        """None where one of them does not exist, or not for this viewer."""
        by_id = {system.id: system for system in self.systems}
        return [by_id[id] for id in ids] if all(id in by_id for id in ids) else None


def find_analysed_set(
    viewer: Viewer,
    test_set: TestSet,
    *,
    at: datetime,
    named: Sequence[str] = (),
    chosen: ResultsQuery | None = None,
) -> AnalysedSet | None:
    standings = [
        visible
        for visible in visible_standings(viewer, test_set.task, at=at)
        if test_set.code in visible.standing.table.get("gold", {})
    ]
    source = choose_standing(standings, chosen or ResultsQuery(), having=named)
    gold = gold_of(viewer, test_set, source, at=at)
    if gold is None or not GoldAnalysis.objects.filter(gold=gold, format=FORMAT).exists():
        return None
    return AnalysedSet(
        test_set=test_set,
        source=source,
        rankings=tuple(standings),
        gold=gold,
        sentences=sentence_cache.gold_sentences(gold.sealed),
        systems=tuple(analysed_systems(viewer, gold, source, named, at=at)),
    )


def gold_of(
    viewer: Viewer, test_set: TestSet, source: VisibleStanding | None, *, at: datetime
) -> GoldVersion | None:
    """The version that the standing was computed with, so that both agree; else the one in force."""
    version = test_set.gold_in_force
    number = source.standing.table["gold"][test_set.code] if source else None
    if version is not None and number not in (None, version.number):
        version = test_set.gold_versions.filter(number=number).first()
    if version is None or not task_access.gold_is_available(viewer, version, at=at):
        return None
    return version


def analysed_systems(
    viewer: Viewer, gold: GoldVersion, source: VisibleStanding | None, named: Sequence[str], *, at: datetime
) -> Iterator[AnalysedSystem]:
    """In the order of the ranking, then the reader's own runs and those that were named, the latest first."""
    task = gold.test_set.task
    ranked = [row["run"] for row in source.standing.table["rows"]] if source else []
    team = team_access.team_of(viewer, task)
    listed = Q(public_id__in=[*ranked, *named]) | (Q(team=team) if team else Q(pk=None))
    runs = run_access.runs_with(
        viewer,
        Thing.BREAKDOWN,
        Run.objects.filter(listed, task=task, files__test_set=gold.test_set)
        .select_related("task", "phase__task", "team", "system")
        .order_by("-received_at", "-number"),
        at=at,
    )
    names = team_access.names(viewer, task, at=at)
    version = source.standing.table.get("profile_version", "") if source else task.profile_version
    outputs = analysed_outputs(gold, runs, version)
    place = {id: n for n, id in enumerate(ranked)}
    for run in sorted(runs, key=lambda run: place.get(run.public_id, len(place))):
        if run.pk not in outputs:
            continue
        name, is_ranked = display_name(names, run), run.public_id in place
        analysis, output, size = outputs[run.pk]
        yield AnalysedSystem(
            run=run,
            name=name if is_ranked else f"{name}, run {run.number}",
            analysis=analysis,
            output=output,
            size_bytes=size,
            is_ranked=is_ranked,
        )


def analysed_outputs(
    gold: GoldVersion, runs: Sequence[Run], profile_version: str
) -> Mapping[int, tuple[str, str, int]]:
    """By the run's key: the public id of its analysis, the name of its file in storage, the file's size."""
    rows = Analysis.objects.filter(
        score__gold=gold,
        score__profile_version=profile_version,
        score__file__run__in=runs,
        format=FORMAT,
        failure="",
    ).values_list("score__file__run", "public_id", "score__file__output", "score__file__size_bytes")
    return {run: (analysis, output, size) for run, analysis, output, size in rows}

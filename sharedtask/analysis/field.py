"""Which systems a reader can look at on a test set, and which version of gold they are compared with.

In: a reader, a test set, the moment, and what the address names. Out: `Field`; None where there is nothing
for this reader: gold that is not released leaves no trace here. The number of queries does not grow with
systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from evaluation.showing.gold_sentences import GoldSentences
from sharedtask.accounts.roles import Viewer
from sharedtask.analysis import memory
from sharedtask.analysis.models import FORMAT, Analysis, GoldAnalysis
from sharedtask.competition import task_access
from sharedtask.competition.models import GoldVersion, TestSet
from sharedtask.standings.entrants import OnShow, called, choose, on_show
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access
from sharedtask.visibility.terms import Thing


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A run whose output on the test set has been analysed."""

    run: Run
    name: str
    analysis: str
    """Public id of its analysis."""
    output: str
    """Name of the file in storage, and its size."""
    size_bytes: int
    is_ranked: bool
    """It is in the ranking; others are here because they were named, or are the reader's own."""

    @property
    def id(self) -> str:
        return self.run.public_id


@dataclass(frozen=True, kw_only=True)
class Field:
    test_set: TestSet
    on_show: OnShow | None
    """The ranking whose systems are shown, and all that have the test set."""
    rankings: tuple[OnShow, ...]
    gold: GoldVersion
    sentences: GoldSentences
    entrants: tuple[Entrant, ...]

    @property
    def ranked(self) -> list[Entrant]:
        return [one for one in self.entrants if one.is_ranked]

    def named(self, ids: Sequence[str]) -> list[Entrant] | None:
        """None where one of them is not there, or not for this reader."""
        by_id = {one.id: one for one in self.entrants}
        return [by_id[id] for id in ids] if all(id in by_id for id in ids) else None


def field_of(
    viewer: Viewer,
    test_set: TestSet,
    *,
    at: datetime,
    named: Sequence[str] = (),
    phase: str | None = None,
    track: str | None = None,
) -> Field | None:
    task, code = test_set.task, test_set.code
    shown = [one for one in on_show(viewer, task, at=at) if code in one.standing.table.get("gold", {})]
    chosen = choose(shown, phase=phase, track=track, having=named)
    gold = gold_of(viewer, test_set, chosen, at=at)
    if gold is None or not GoldAnalysis.objects.filter(gold=gold, format=FORMAT).exists():
        return None
    return Field(
        test_set=test_set,
        on_show=chosen,
        rankings=tuple(shown),
        gold=gold,
        sentences=memory.gold_sentences(gold.sealed),
        entrants=tuple(entrants(viewer, gold, chosen, named, at=at)),
    )


def gold_of(viewer: Viewer, test_set: TestSet, chosen: OnShow | None, *, at: datetime) -> GoldVersion | None:
    """The version that the ranking was computed with, so that both tell the same; else the one in force."""
    version = test_set.gold_in_force
    number = chosen.standing.table["gold"][test_set.code] if chosen else None
    if version is not None and number not in (None, version.number):
        version = test_set.gold_versions.filter(number=number).first()
    if version is None or not task_access.gold_is_available(viewer, version, at=at):
        return None
    return version


def entrants(
    viewer: Viewer, gold: GoldVersion, chosen: OnShow | None, named: Sequence[str], *, at: datetime
) -> Iterator[Entrant]:
    """In the order of the ranking, then what is the reader's own or was named, the latest first."""
    task = gold.test_set.task
    ranked = [row["run"] for row in chosen.standing.table["rows"]] if chosen else []
    team = team_access.team_of(viewer, task)
    wanted = Q(public_id__in=[*ranked, *named]) | (Q(team=team) if team else Q(pk=None))
    runs = Run.objects.filter(wanted, task=task, files__test_set=gold.test_set)
    shown = run_access.runs_with(
        viewer,
        Thing.BREAKDOWN,
        runs.select_related("task", "phase__task", "team", "system").order_by("-received_at", "-number"),
        at=at,
    )
    names = team_access.names(viewer, task, at=at)
    analysed = analyses_of(gold, shown)
    place = {id: n for n, id in enumerate(ranked)}
    for run in sorted(shown, key=lambda run: place.get(run.public_id, len(place))):
        if run.pk not in analysed:
            continue
        name, is_ranked = called(names, run), run.public_id in place
        analysis, output, size = analysed[run.pk]
        yield Entrant(
            run=run,
            name=name if is_ranked else f"{name}, run {run.number}",
            analysis=analysis,
            output=output,
            size_bytes=size,
            is_ranked=is_ranked,
        )


def analyses_of(gold: GoldVersion, runs: Sequence[Run]) -> Mapping[int, tuple[str, str, int]]:
    """By the run's key: its analysis, the name of its file in storage, the file's size."""
    made = Analysis.objects.filter(
        score__gold=gold, score__file__run__in=runs, format=FORMAT, failure=""
    ).values_list("score__file__run", "public_id", "score__file__output", "score__file__size_bytes")
    return {run: (analysis, output, size) for run, analysis, output, size in made}

"""What the leaderboard page shows of a phase: a standing that workers have computed, with the names added.

In: a reader, a phase, a track, a metric and the moment. Out: `Page`, figures as they are printed (F1 × 100
with two decimals). Nothing is computed here: three queries, whatever the size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet

from evaluation.ranking import aggregate
from sharedtask import visibility
from sharedtask.competition.models import Phase
from sharedtask.leaderboard.models import Publication, Standing, Wanted
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team

if TYPE_CHECKING:
    from sharedtask.visibility import Viewer

COLUMNS = ("LAS", "CLAS", "Tokens", "Words", "Sentences")
NOTHING = "–"


@dataclass(frozen=True, kw_only=True)
class Row:
    rank: int | None
    """None for what takes no number: a withdrawn system, or a baseline where the task says so."""
    rank_range: str
    """The ranks it takes in the central 95 % of the replicates."""
    line_below: bool
    """It is significantly above the next one."""
    run: Run
    name: str
    low: str
    high: str
    interval: tuple[str, str] | None
    """Where the bar of the interval begins and how wide it is, out of 100."""
    scores: tuple[str, ...]
    groups: tuple[str, ...]
    not_scored: int
    """Files that were missing or invalid."""
    withdrawn: bool


@dataclass(frozen=True, kw_only=True)
class Page:
    phase: Phase
    standing: Standing | None
    standings: Sequence[Standing]
    """One for each track that has one; the one that is shown is among them."""
    published: Publication | None
    """The act by which the public sees it; None for an open phase, and for what is not published yet."""
    metric: str
    metrics: tuple[str, ...]
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    rows: tuple[Row, ...]
    under_way: int
    """Runs that will have their place soon; not told of a blind phase, where it would be progress."""
    is_wanted: bool
    """A newer standing is being computed; not told of a blind phase either."""

    @property
    def signature(self) -> str:
        return self.standing.signature if self.standing else ""

    @property
    def gold_versions(self) -> str:
        """`1` where all sets have the first version of their gold; else those that were corrected."""
        numbers = self.standing.table.get("gold", {}) if self.standing else {}
        corrected = [f"{code} {number}" for code, number in sorted(numbers.items()) if number != 1]
        return f"1, but {', '.join(corrected)}" if corrected else "1"


def page(
    viewer: Viewer,
    phase: Phase,
    *,
    at: datetime,
    track: str | None = None,
    metric: str | None = None,
    preview: bool = False,
) -> Page:
    """`preview` shows organisers what holds now instead of what was published."""
    publication, standings = shown_standings(viewer, phase, at=at, preview=preview)
    chosen = [one for one in standings if track is None or one.track == track]
    standing = chosen[0] if chosen else None
    table: Mapping[str, Any] = standing.table if standing else {}
    tells_queue = phase.feedback == Phase.Feedback.SCORES and visibility.queue(viewer, phase, at=at)
    metrics = tuple(table.get("metrics", ()))
    by: str = metric if metric and metric in metrics else next(iter(metrics), "")
    columns = (by, *(name for name in table.get("columns", ()) if name != by)) if by else COLUMNS
    return Page(
        phase=phase,
        standing=standing,
        standings=standings,
        published=publication,
        metric=by,
        metrics=metrics,
        columns=columns,
        groups=tuple(table.get("groups", ())),
        rows=rows_of(viewer, phase, table, by, columns, at=at) if by else (),
        under_way=Run.objects.under_way(phase).count() if tells_queue else 0,
        is_wanted=tells_queue and Wanted.objects.filter(phase=phase).exists(),
    )


def shown_standings(
    viewer: Viewer, phase: Phase, *, at: datetime, preview: bool
) -> tuple[Publication | None, Sequence[Standing]]:
    """In an open phase what holds now; of any other phase what was published last."""
    live = phase.feedback == Phase.Feedback.SCORES
    organiser = not live and visibility.organises(viewer, phase.task)
    if not live and not (preview and organiser):
        publication = phase.task.publications.filter(at__lte=at).first()
        if publication is not None:
            return publication, in_order(publication.standings.filter(phase=phase).defer("data"))
        if not organiser:
            return None, []
    newest: dict[str, Standing] = {}
    for standing in Standing.objects.in_force(phase):
        newest.setdefault(standing.track, standing)
    return None, in_order(newest.values())


def in_order(standings: Iterable[Standing]) -> list[Standing]:
    """The ranking of record first, what was chosen by score last."""
    tracks = list(Standing.Track.values)
    return sorted(standings, key=lambda standing: tracks.index(standing.track))


def rows_of(
    viewer: Viewer,
    phase: Phase,
    table: Mapping[str, Any],
    metric: str,
    columns: Sequence[str],
    *,
    at: datetime,
) -> tuple[Row, ...]:
    told = table["rows"]
    names = visibility.team_names(viewer, phase.task, at=at)
    by_id = {run.public_id: run for run in runs_in(table)}
    shown = [
        row(one, by_id[one["run"]], names, table, metric, columns) for one in told if one["run"] in by_id
    ]
    figures = {one["run"]: one["figures"][metric]["f1"] for one in told}
    # Exactly equal figures are ordered by name; those without a rank of their own keep their place among all.
    shown.sort(key=lambda one: (one.withdrawn, -figures[one.run.public_id], one.name, one.run.system.name))
    return tuple(shown)


def row(
    told: Mapping[str, Any],
    run: Run,
    names: Callable[[Team], str],
    table: Mapping[str, Any],
    metric: str,
    columns: Sequence[str],
) -> Row:
    place, main = told["places"][metric], told["figures"][metric]
    low, high = main["low"], main["high"]
    best_and_worst = place["rank_range"]
    return Row(
        rank=place["rank"],
        rank_range="–".join(str(rank) for rank in dict.fromkeys(best_and_worst)) if best_and_worst else "",
        line_below=place["line_below"],
        run=run,
        name=names(run.team),
        low=printed(low),
        high=printed(high),
        interval=None if low is None else (printed(low), printed(high - low)),
        scores=tuple(printed(told["figures"][column]["f1"]) for column in columns),
        groups=tuple(printed(told["groups"][metric][group]) for group in table["groups"]),
        not_scored=told["not_scored"],
        withdrawn=told["withdrawn"],
    )


def printed(fraction: float | None) -> str:
    return NOTHING if fraction is None else aggregate.printed(fraction)


def runs_named_in(standing: Standing) -> QuerySet[Run]:
    return runs_in(standing.table)


def runs_in(table: Mapping[str, Any]) -> QuerySet[Run]:
    named = [one["run"] for one in table.get("rows", ())]
    return Run.objects.filter(public_id__in=named).select_related("team", "system")

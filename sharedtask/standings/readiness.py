"""Which standings could be published now, and what stands in the way of the others.

In: a task and a time. Out: a `Readiness` for each ranking of each phase that has begun and does not show its
results while it is open. Nothing is computed or written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from evaluation.ranking.significance import replicates_for_holm
from sharedtask.competition.metrics import significance_test
from sharedtask.competition.models import Phase, StandingRequest, Task
from sharedtask.competition.tracks import track_title
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Standing
from sharedtask.standings.rankings import rankings_by_track


@dataclass(frozen=True, kw_only=True)
class Readiness:
    """The standing of one phase and ranking that would be published, or why it cannot be."""

    phase: Phase
    track: str
    """Empty in a task without tracks."""
    ranking: Standing.Ranking
    standing: Standing | None
    obstacle: str
    failed: int
    """Runs that are not ranked because the server failed to score them."""
    is_missing: bool
    """The standing for the present runs and gold of the phase has not been computed."""
    has_runs: bool
    systems: int
    """How many are compared with each other."""
    public: Standing | None
    """The one that is public now."""

    @property
    def key(self) -> str:
        """What the form calls it."""
        return "/".join(part for part in (self.phase.code, self.track, self.ranking) if part)

    @property
    def title(self) -> str:
        """With the track if there are several; where a phase has only one ranking, it needs no name."""
        ranking = "" if self.ranking == Standing.Ranking.OPEN else self.ranking
        parts = (self.phase.title, track_title(self.phase.task, self.track), ranking)
        return ", ".join(part for part in parts if part)

    @property
    def replicates_needed(self) -> int:
        """For Holm-corrected p-values of so many systems; 0 if the task draws enough."""
        needed = replicates_for_holm(self.systems, significance_test(self.phase.task))
        return needed if self.phase.task.replicates < needed else 0

    @property
    def is_new(self) -> bool:
        """Publishing would change what is public."""
        return self.standing is not None and self.standing != self.public

    @property
    def is_default(self) -> bool:
        return self.public is not None or is_published_by_default(self.phase, self.ranking)


def readiness(task: Task, *, at: datetime) -> list[Readiness]:
    """Of every phase that has begun and does not show its results while it is open."""
    phases = task.phases.begun(at=at).exclude(feedback=Phase.Feedback.SCORES)
    public = public_standings(task, at=at)
    return [
        readiness_of(phase, ranking, track, public=public.get((phase.pk, track, ranking)), at=at)
        for phase in phases
        for track, ranking in rankings_by_track(phase)
    ]


def is_published_by_default(phase: Phase, ranking: str) -> bool:
    """Not a dry run, which is for the organisers; nor the best runs, which are chosen by score."""
    return phase.kind != Phase.Kind.TRIAL and ranking != Standing.Ranking.BEST


def public_standings(task: Task, *, at: datetime) -> Mapping[tuple[int, str, str], Standing]:
    """By phase, track and ranking."""
    latest = task.publications.filter(at__lte=at).first()
    standings = latest.standings.select_related("phase") if latest else ()
    return {(standing.phase_id, standing.track, standing.ranking): standing for standing in standings}


def readiness_of(
    phase: Phase, ranking: Standing.Ranking, track: str, *, public: Standing | None, at: datetime
) -> Readiness:
    inputs = gather(phase, ranking, track, at=at)
    standings = Standing.objects.in_force(phase).filter(track=track, ranking=ranking)
    in_force = standings.select_related("phase").first()
    name = ", ".join(part for part in (phase.title, track_title(phase.task, track), ranking) if part)
    obstacle, is_missing = "", False
    if phase.is_official and (until := phase.open_until(at=at)):
        # Published scores would tell teams that can still upload something about gold.
        obstacle = f"{phase.title}: a team can still upload {until}."
    elif inputs.under_way:
        number = len(inputs.under_way)
        obstacle = f"{name}: {number} run{'s are' if number > 1 else ' is'} still being scored."
    elif inputs.entries and (in_force is None or in_force.inputs_sha256 != inputs.sha256):
        is_missing = True
        request = StandingRequest.objects.filter(phase=phase).first()
        so_far = f" (so far: {request.progress})" if request and request.progress else ""
        when = (
            "could not be computed because of a server error, and will be retried after the next change"
            if request and request.failed_at
            else f"is being computed{so_far}; try again in a moment"
            if request
            else "will be computed within a minute"
        )
        obstacle = f"{name}: the standing {when}."
    return Readiness(
        phase=phase,
        track=track,
        ranking=ranking,
        standing=in_force if inputs.entries and not obstacle else None,
        obstacle=obstacle,
        failed=len(inputs.failed),
        is_missing=is_missing,
        has_runs=bool(inputs.entries or inputs.under_way),
        systems=sum(not entry.is_withdrawn for entry in inputs.entries),
        public=public,
    )

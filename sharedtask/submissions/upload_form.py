"""The upload form: what it offers this team now, and the refusal of a previous attempt.

In: the request, the task and the team. Out: the page. A page that polls until a run can be amended gets the
list of amendable runs only, or an empty 204 response while that list has not changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.archives.formats import OTHER_FORMATS
from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.metrics import profile_of
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import track_codes, track_title
from sharedtask.competition.treebanks import format_of
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import readable_bytes, upload_limits
from sharedtask.submissions.destination import UploadForm
from sharedtask.submissions.models import Run
from sharedtask.submissions.obstacles import obstacles
from sharedtask.submissions.quota import Quota, quotas_of
from sharedtask.submissions.ranked_run import ranked_runs
from sharedtask.teams.models import Team

MAX_AMENDABLE_RUNS = 50


@dataclass(frozen=True, kw_only=True)
class AmendOptions:
    """Runs that can be amended, and those that can be once their check has finished."""

    runs: Sequence[Run]
    being_checked: Sequence[Run]
    chosen: str
    """The public id of a run, from the query string or from the form of a refused upload."""

    @property
    def version(self) -> str:
        """Changes when the list has to be rendered again."""
        return ".".join(str(run.number) for run in self.being_checked)

    @property
    def phase(self) -> str:
        return next((run.phase.code for run in self.runs if run.public_id == self.chosen), "")

    @property
    def track(self) -> str:
        return next((run.track for run in self.runs if run.public_id == self.chosen), "")


@dataclass(frozen=True, kw_only=True)
class TrackChoice:
    code: str
    title: str
    phases: str
    """Codes of the phases in which a run of this track can be uploaded now."""


def upload_form(
    request: HttpRequest,
    task: Task,
    team: Team | None,
    *,
    on_behalf: bool,
    refusal: Refusal | None = None,
    status: int = 200,
) -> HttpResponse:
    at = clock.database_now()
    open_phases = task_access.phases_to_upload_to(request.user, task, team, at=at)
    phases = list(open_phases.prefetch_related("extensions"))
    initial = {"amends": request.GET.get("amends", "")}
    form = UploadForm(request.POST or None, initial=initial, task=task, team=team, on_behalf=on_behalf, at=at)
    amending = amend_options(form["amends"].value() or "", team, phases)
    if request.headers.get("HX-Request") and "version" in request.GET:
        if request.GET["version"] == amending.version:
            return HttpResponse(status=204)
        return render(request, "submissions/_amending.html", {"amending": amending})
    limits = upload_limits()
    systems = list(team.systems.filter(withdrawn_at=None)) if team else []
    primary = next((system.public_id for system in systems if system.is_primary), "")
    options = phase_options(phases, team, at=at)
    context = {
        "task": task,
        "team": team,
        "on_behalf": on_behalf,
        "systems": systems,
        "phases": options,
        "obstacles": distinct_obstacles(options),
        "may_upload": any(option.obstacle is None for option in options),
        "ranked": ranked_runs(request.user, task, team, phases, at=at) if team else [],
        "closed": [] if phases else closed_phases(task, team, at=at),
        "amending": amending,
        "chosen_phase": form["phase"].value() or amending.phase,
        "format_title": format_of(task).title,
        "checked_against": "given tokens" if profile_of(task).tokens_given else "raw text",
        "tracks": offered_tracks(options) if task.tracks else [],
        "chosen_track": form["track"].value() or amending.track,
        "chosen_system": form["system"].value() or primary,
        "note": form["note"].value() or "",
        "training_size": form["training_size"].value() or "",
        "training_sample": form["training_sample"].value() or "",
        "reason": form["reason"].value() or "",
        "blind": any(task_access.is_blind(phase, at=at) for phase in phases),
        "expected": expected_files(request.user, task, phases, at=at),
        "refusal": refusal,
        "at": at,
        "limits": limits,
        "other_formats": json.dumps(
            {start.hex(): description for start, description in OTHER_FORMATS.items()}
        ),
        "largest_archive": readable_bytes(limits.archive_bytes),
        "largest_file": readable_bytes(limits.member_bytes),
    }
    return render(request, "submissions/upload.html", context, status=status)


def amend_options(chosen: str, team: Team | None, phases: Sequence[Phase]) -> AmendOptions:
    if team is None:
        return AmendOptions(runs=(), being_checked=(), chosen="")
    options = Run.objects.amendable_or_being_checked(team=team).filter(phase__in=phases)
    runs = list(options.select_related("phase", "system")[:MAX_AMENDABLE_RUNS])
    return AmendOptions(
        runs=[run for run in runs if run.checked_at],
        being_checked=[run for run in runs if not run.checked_at],
        chosen=chosen,
    )


@dataclass(frozen=True, kw_only=True)
class TrackOption:
    """A track of a phase; in a task without tracks, the phase itself."""

    track: str
    title: str
    quota: Quota | None
    obstacle: Refusal | None
    """Why an upload to this track would be refused now."""


@dataclass(frozen=True, kw_only=True)
class PhaseOption:
    phase: Phase
    closes_at: datetime | None
    tracks: Sequence[TrackOption] = ()

    @property
    def obstacle(self) -> Refusal | None:
        """Why an upload to this phase would be refused now, whatever the track."""
        obstacles = [option.obstacle for option in self.tracks]
        return obstacles[0] if obstacles and all(obstacles) else None

    @property
    def limited_tracks(self) -> list[TrackOption]:
        """Those with a quota that the page has to mention."""
        return [option for option in self.tracks if option.quota and option.quota.is_limited]


def phase_options(phases: Sequence[Phase], team: Team | None, *, at: datetime) -> list[PhaseOption]:
    quotas = quotas_of(phases, team, at=at) if team else {}
    obstacles_by_track = obstacles(phases, team, quotas, at=at) if team else {}
    return [
        PhaseOption(
            phase=phase,
            closes_at=phase.closing_time(team),
            tracks=[
                TrackOption(
                    track=track,
                    title=track_title(phase.task, track),
                    quota=quotas.get((phase.pk, track)),
                    obstacle=obstacles_by_track.get((phase.pk, track)),
                )
                for track in track_codes(phase)
            ],
        )
        for phase in phases
    ]


def offered_tracks(options: Sequence[PhaseOption]) -> list[TrackChoice]:
    """Every track of the open phases, with the codes of the phases that take uploads to it now."""
    phases: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for option in options:
        for track in option.tracks:
            titles[track.track] = track.title
            phases.setdefault(track.track, [])
            if track.obstacle is None:
                phases[track.track].append(option.phase.code)
    return [
        TrackChoice(code=code, title=titles[code], phases=" ".join(codes)) for code, codes in phases.items()
    ]


def distinct_obstacles(options: Iterable[PhaseOption]) -> list[Refusal]:
    """The limit of uploads per day stands in the way of every phase and is said once."""
    all_obstacles = [track.obstacle for option in options for track in option.tracks if track.obstacle]
    by_message = {obstacle.message: obstacle for obstacle in all_obstacles}
    return list(by_message.values())


def closed_phases(task: Task, team: Team | None, *, at: datetime) -> list[PhaseOption]:
    """The phase that closed last and the one that opens next, to explain why there is no form."""
    phases = list(task.phases.prefetch_related("extensions"))
    started = sorted(
        (phase for phase in phases if phase.opens_at <= at),
        key=lambda phase: phase.closing_time(team) or phase.opens_at,
    )
    upcoming = [phase for phase in phases if phase.opens_at > at]
    return [
        PhaseOption(phase=phase, closes_at=phase.closing_time(team))
        for phase in (*started[-1:], *upcoming[:1])
    ]


def expected_files(
    viewer: roles.Viewer, task: Task, phases: Sequence[Phase], *, at: datetime
) -> list[dict[str, Any]]:
    """Test sets whose input has been released, each with the codes of the offered phases it belongs to."""
    visible = task_access.test_sets(viewer, task, at=at).prefetch_related("phases")
    offered = {phase.pk for phase in phases}
    with_phases = [
        (test_set, [phase.code for phase in test_set.phases.all() if phase.pk in offered])
        for test_set in visible
        if test_set.has_released_inputs(at=at)
    ]
    return [{"set": test_set, "phases": " ".join(codes)} for test_set, codes in with_phases if codes]

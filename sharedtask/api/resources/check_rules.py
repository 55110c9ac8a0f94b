"""What a client needs, besides the inputs, to check outputs locally as the server would check them now."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from evaluation.archives.unpack import SUFFIX
from evaluation.version import VERSION
from sharedtask.api.resources.site import UploadLimitsOut
from sharedtask.api.viewing import visible_task
from sharedtask.competition import task_access
from sharedtask.competition.metrics import options_of
from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import tracks_in
from sharedtask.core import clock
from sharedtask.core.limits import upload_limits
from sharedtask.teams import team_access

router = Router()


class ExpectedFileOut(Schema):
    test_set: str
    name: str
    raw_text: str = Field(description="Name of the input that it is checked against.")
    raw_text_sha256: str
    is_raw_text: bool = Field(description="Otherwise it gives tokens, which the output has to keep.")


class TrackRulesOut(Schema):
    code: str
    title: str
    reader: str = Field(description="Format of the files; empty for that of the profile.")


class PhaseRulesOut(Schema):
    phase: str
    title: str
    tracks: list[TrackRulesOut] = Field(description="That accept runs in this phase; empty without tracks.")
    files: list[ExpectedFileOut]


class CheckRulesOut(Schema):
    task: str
    profile: str
    reader: str = Field(description="Format of the files; empty for that of the profile. A track may differ.")
    version: str = Field(description="Of the evaluator on the server.")
    missing: str = Field(description="What a missing file counts as: `zero` or `exclude`.")
    limits: UploadLimitsOut
    phases: list[PhaseRulesOut] = Field(description="Those that are open for you now.")


@router.get(
    "/tasks/{task}/check-rules", response=CheckRulesOut, auth=None, summary="How the server checks outputs"
)
def show_check_rules(request: HttpRequest, task: str) -> dict[str, Any]:
    at = clock.database_now()
    row = visible_task(request, task)
    team = team_access.team_of(request.user, row)
    phases = task_access.phases_to_upload_to(request.user, row, team, at=at)
    return {
        "task": row.slug,
        "profile": row.profile,
        "reader": options_of(row).reader,
        "version": VERSION,
        "missing": row.missing_policy,
        "limits": asdict(upload_limits()),
        "phases": [
            {
                "phase": phase.code,
                "title": phase.title,
                "tracks": track_rules(phase),
                "files": expected_files(request, phase),
            }
            for phase in phases
        ],
    }


def track_rules(phase: Phase) -> list[dict[str, str]]:
    return [
        {"code": track.code, "title": track.title, "reader": options_of(phase.task, track.code).reader}
        for track in tracks_in(phase)
    ]


def expected_files(request: HttpRequest, phase: Phase) -> list[dict[str, Any]]:
    """Of the test sets whose input is public: nothing is said about an output before."""
    at = clock.database_now()
    visible = task_access.test_sets(request.user, phase.task, at=at).filter(phases=phase)
    texts = [
        (test_set, task_access.given_input(request.user, test_set, at=at))
        for test_set in visible.prefetch_related("inputs")
    ]
    return [
        {
            "test_set": test_set.code,
            "name": f"{test_set.code}{SUFFIX}",
            "raw_text": text.filename,
            "raw_text_sha256": text.sha256,
            "is_raw_text": text.is_raw_text,
        }
        for test_set, text in texts
        if text is not None
    ]

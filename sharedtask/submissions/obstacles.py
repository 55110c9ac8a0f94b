"""What stands in the way of an upload, for the form: the refusals that an upload would get now.

In: phases with the quotas of a team, and a time. Out: the first refusal by phase and track. `accept.py`
decides all of this again when the upload arrives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from sharedtask.competition.models import Phase
from sharedtask.core.errors import Refusal
from sharedtask.submissions import admission
from sharedtask.submissions.quota import Quota
from sharedtask.teams.models import Team


def obstacles(
    phases: Iterable[Phase], team: Team, quotas: Mapping[tuple[int, str], Quota], *, at: datetime
) -> dict[tuple[int, str], Refusal]:
    """By the phase's primary key and the track; where the team may upload there is none."""
    uploads = admission.uploads_within_a_day(team, at=at)
    by_key = {phase.pk: phase for phase in phases}
    refusals = {
        key: obstacle(by_key[key[0]], team, quota, uploads, at=at)
        for key, quota in quotas.items()
        if key[0] in by_key
    }
    return {key: refusal for key, refusal in refusals.items() if refusal is not None}


def obstacle(phase: Phase, team: Team, quota: Quota, uploads: int, *, at: datetime) -> Refusal | None:
    try:
        admission.refuse_outside_phase(phase, team, at=at)
        admission.refuse_unregistered(phase, team)
        admission.refuse_beyond_quota(phase, quota)
        admission.refuse_too_many_uploads(uploads)
    except Refusal as refusal:
        return refusal
    return None

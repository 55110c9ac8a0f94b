"""Inputs that are not released yet because they have what is still hidden in another track.

In: a task and a time. Out: the names of these variants. What a track gives besides the tokens is gold in a
track that does not give it. As long as such a track has a blind phase that has not closed for every team,
extensions included, the variant is withheld, whatever the times of its own track are.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import tracks_of


def withheld_variants(task: Task, *, at: datetime) -> frozenset[str]:
    """Two queries, or none in a task whose tracks give the tokens alone."""
    tracks = tracks_of(task)
    givers = [track for track in tracks if track.given_columns]
    if not givers:
        return frozenset()
    phases = task.phases.filter(feedback=Phase.Feedback.VALIDITY).prefetch_related("extensions")
    blind = [phase.code for phase in phases if is_unfinished(phase, at=at)]
    return frozenset(
        giver.input
        for giver in givers
        if any(track.hides(giver) and track.is_in(code) for track in tracks for code in blind)
    )


def is_unfinished(phase: Phase, *, at: datetime) -> bool:
    """Whether a team can upload to it now or later."""
    closes_at = phase.last_closing_time()
    return closes_at is None or at < closes_at

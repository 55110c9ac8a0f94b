"""The standings as they will be with corrected gold or a new profile, for the organisers who decide about it.

In: a phase. Out: a standing of each ranking, computed with the new versions and not in force. When these are
put in force, the standing exists already and only has to be put in force too. Workers only.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask.competition.models import Phase
from sharedtask.standings.compute import compute_figures, copied, store
from sharedtask.standings.corrections import Versions, pending_versions
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Standing
from sharedtask.standings.rankings import rankings_by_track


def precompute_corrected(phase: Phase, *, at: datetime, split: bool = False) -> int:
    """Returns the number of computed standings; 0 while files are still to be scored by the new versions."""
    sets = set(phase.test_sets.values_list("pk", flat=True))
    return sum(
        precompute(phase, versions, at=at, split=split)
        for versions in pending_versions(phase.task)
        if versions.profile is not None or versions.gold.keys() & sets
    )


def precompute(phase: Phase, versions: Versions, *, at: datetime, split: bool) -> int:
    count = 0
    for track, ranking in rankings_by_track(phase):
        inputs = gather(phase, ranking, track, at=at, gold=versions.gold, profile_version=versions.profile)
        existing = Standing.objects.filter(
            phase=phase, track=track, ranking=ranking, inputs_sha256=inputs.sha256
        )
        if inputs.entries and not inputs.under_way and not existing.exists():
            computed = copied(inputs) or compute_figures(inputs, split=split)
            store(computed, computed_at=at, in_force_since=None)
            count += 1
    return count

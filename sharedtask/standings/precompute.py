"""The standings as they will be with corrected gold, for the organisers who decide about it. Workers only.

In: a phase. Out: a standing of each ranking, computed with the corrected gold and not in force. When the gold
is put in force, the standing exists already and only has to be put in force too.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask.competition.models import Phase
from sharedtask.standings.compute import compute_figures, copied, store
from sharedtask.standings.corrections import pending_corrections
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Standing
from sharedtask.standings.progress import Deadline
from sharedtask.standings.rankings import rankings_by_track


def precompute_corrected(phase: Phase, *, at: datetime, deadline: Deadline | None = None) -> int:
    """Returns the number of computed standings; 0 while files are still to be scored against the new gold."""
    gold = {version.test_set_id: version for version in pending_corrections(phase.task)}
    sets = set(phase.test_sets.values_list("pk", flat=True))
    if not gold.keys() & sets:
        return 0
    count = 0
    for track, ranking in rankings_by_track(phase):
        inputs = gather(phase, ranking, track, at=at, gold=gold)
        existing = Standing.objects.filter(
            phase=phase, track=track, ranking=ranking, inputs_sha256=inputs.sha256
        )
        if inputs.entries and not inputs.under_way and not existing.exists():
            computed = copied(inputs) or compute_figures(inputs, deadline)
            store(computed, computed_at=at, in_force_since=None)
            count += 1
    return count

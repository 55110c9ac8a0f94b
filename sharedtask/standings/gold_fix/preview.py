"""What the standings will be when corrected gold is put in force, for the organisers who decide about it.

In: a phase. Out: a standing of each ranking, computed with the corrected gold and not in force. Workers only.
When the gold is put in force nothing has to be computed again: the standing is there, and begins to hold.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask.competition.models import Phase
from sharedtask.standings.compute import compute_figures, store
from sharedtask.standings.gold_fix.corrections import corrections
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Standing
from sharedtask.standings.rankings import rankings_of


def preview(phase: Phase, *, at: datetime) -> int:
    """How many were computed; none while a file is still to be scored against the new gold."""
    gold = {one.test_set_id: one for one in corrections(phase.task)}
    sets = set(phase.test_sets.values_list("pk", flat=True))
    if not gold.keys() & sets:
        return 0
    made = 0
    for ranking in rankings_of(phase):
        inputs = gather(phase, ranking, at=at, gold=gold)
        known = Standing.objects.filter(phase=phase, ranking=ranking, inputs_sha256=inputs.sha256)
        if inputs.entries and not inputs.under_way and not known.exists():
            store(compute_figures(inputs), computed_at=at, in_force_since=None)
            made += 1
    return made

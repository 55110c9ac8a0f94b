"""The sweeper's part: released gold whose analysis is not complete and that nobody is at is handed out again.

In: the clock. Out: messages. Handing out twice is harmless, because the work is claimed.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from sharedtask.analysis.analyse import released, waiting
from sharedtask.analysis.models import FORMAT, GoldAnalysis
from sharedtask.competition.models import GoldVersion
from sharedtask.work import dispatch
from sharedtask.work.lease import LEASE, free

PATIENCE = LEASE * 2 / 3
"""How long a message may be under way before another is sent after it."""


def incomplete() -> QuerySet[GoldVersion]:
    """Released gold that was not analysed yet, or that an output waits to be compared with."""
    return released().filter(
        ~Exists(GoldAnalysis.objects.filter(gold=OuterRef("pk"), format=FORMAT))
        | Exists(waiting().filter(gold=OuterRef("pk")))
    )


def hand_out_unanalysed(*, at: datetime, patience: timedelta = PATIENCE) -> int:
    recent = GoldAnalysis.objects.filter(~free(at) | Q(handed_out_at__gt=at - patience))
    versions = incomplete().exclude(pk__in=recent.values("gold")).values_list("pk", flat=True)
    for pk in versions:
        GoldAnalysis.objects.update_or_create(gold_id=pk, defaults={"handed_out_at": at})
        dispatch.hand_out(dispatch.ANALYSE_GOLD, str(pk))
    return len(versions)

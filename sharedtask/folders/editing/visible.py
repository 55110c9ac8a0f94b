"""What is visible of a test set now, and what becomes visible when; shown next to the times in the form.

In: a test set and the present time. Out: sentences for organisers. The visibility table decides; these are
the times that it compares with the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sharedtask.competition.change_times import format_time
from sharedtask.competition.models import TestSet


def visible_of_test_set(test_set: TestSet, *, at: datetime) -> Iterator[str]:
    if test_set.is_revealed(at=at):
        yield "Everyone can see that this test set exists."
    else:
        assert test_set.revealed_at is not None
        yield (
            "Only organisers know that this test set exists. Everyone can see it, and its samples, "
            f"from {format_time(test_set.revealed_at)}."
        )
    released = test_set.released_at
    if released is None or released <= at:
        yield "Everyone can download its inputs."
    else:
        yield f"Everyone can download its inputs from {format_time(released)}."
    gold = test_set.gold_in_force
    if gold is not None and gold.is_released:
        yield "Its gold is public as soon as the test set is revealed."
    elif gold is not None:
        yield "Its gold is not public. You release it on the page Gold."

"""What is visible of a test set now, and what becomes visible when; shown next to the times in the form.

In: a test set and the present time. Out: sentences for organisers. The visibility table decides; these are
the times that it compares with the clock.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask.competition.models import TestSet
from sharedtask.core.clock import format_time


def visible_of_test_set(test_set: TestSet, *, at: datetime) -> dict[str, str]:
    """By the field that decides it."""
    return {"revealed_at": name_of(test_set, at=at), "inputs_released_at": inputs_of(test_set, at=at)}


def name_of(test_set: TestSet, *, at: datetime) -> str:
    if test_set.is_revealed(at=at):
        return "Now: everyone can see that this test set exists."
    assert test_set.revealed_at is not None
    return (
        "Now: only organisers know that this test set exists. Everyone can see it and its samples from "
        f"{format_time(test_set.revealed_at)}."
    )


def inputs_of(test_set: TestSet, *, at: datetime) -> str:
    released_at = test_set.released_at
    if released_at is None or released_at <= at:
        return "Now: everyone can download its inputs."
    return (
        f"Now: only organisers have its inputs. Everyone can download them from {format_time(released_at)}."
    )

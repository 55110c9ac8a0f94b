"""Corrected versions of gold: imported, but not yet put in force by an organiser."""

from __future__ import annotations

from sharedtask.competition.models import GoldVersion, Task


def pending_corrections(task: Task) -> list[GoldVersion]:
    """The newest version of each test set whose newest version is not in force."""
    newest: dict[int, GoldVersion] = {}
    versions = GoldVersion.objects.filter(test_set__task=task, test_set__gold_in_force__isnull=False)
    for version in versions.select_related("test_set__gold_in_force").order_by(
        "test_set__position", "number"
    ):
        newest[version.test_set_id] = version
    return [
        version
        for version in newest.values()
        if version.test_set.gold_in_force and version.number > version.test_set.gold_in_force.number
    ]

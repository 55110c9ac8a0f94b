"""Warn of phases that open before participants have everything: inputs or gold that come later.

In: a `TaskFolder`, the task that it updates, and the time. Out: sentences for the plan that organisers
approve. None of this prevents an import, because a surprise set or late gold may be intended.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sharedtask.competition.late_releases import late_release_sentence
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.phase_checks import sets_of
from sharedtask.folders.read import FolderTestSet, TaskFolder


def release_warnings(folder: TaskFolder, task: Task | None, *, at: datetime) -> Iterator[str]:
    """In phases that are open or scheduled."""
    phases = (
        {} if task is None else {phase.code: phase for phase in task.phases.prefetch_related("extensions")}
    )
    stored = (
        {}
        if task is None
        else {test_set.code: test_set for test_set in task.test_sets.select_related("gold_in_force")}
    )
    for entry in folder.phases:
        closes_at = last_closing_time(entry, phases.get(entry["code"]))
        if closes_at is not None and closes_at <= at:
            continue
        codes = sets_of(entry, folder)
        for source in folder.test_sets:
            if source.code in codes:
                yield from late_inputs(source, entry, closes_at)
                yield from late_gold(source, entry, stored.get(source.code))


def last_closing_time(entry: YamlEntry, phase: Phase | None) -> datetime | None:
    """Including extensions, which are not in the folder."""
    closes_at: datetime | None = entry["closes_at"]
    if closes_at is None or phase is None:
        return closes_at
    return max([closes_at, *(extension.closes_at for extension in phase.extensions.all())])


def late_inputs(source: FolderTestSet, phase: YamlEntry, closes_at: datetime | None) -> Iterator[str]:
    released_at = source.released_at
    if released_at is not None and released_at > phase["opens_at"]:
        yield late_release_sentence(
            source.code,
            phase["title"],
            released_at=released_at,
            closes_at=closes_at,
            software=phase["software"],
        )


def late_gold(source: FolderTestSet, phase: YamlEntry, stored: TestSet | None) -> Iterator[str]:
    in_force = stored.gold_in_force if stored is not None else None
    if not source.gold and in_force is None:
        yield (
            f"{source.code} has no gold yet. In {phase['title']}, runs with a file for it are not ranked "
            "until its gold is imported."
        )
        return
    is_public = (bool(source.gold) and source.gold[-1].public) or (
        in_force is not None and in_force.is_released
    )
    if phase["kind"] == Phase.Kind.DEVELOPMENT and not is_public:
        yield (
            f"Gold of {source.code} is not public, although {phase['title']} is a development phase. Teams "
            "see scores, but no gold until you release it on the page Gold."
        )

"""The tracks of a task: rankings of their own over the same test sets.

In: a task, as its folder describes it. Out: `Track`s. Runs and standings name their track by its code; in a
task without tracks the code is empty, and everything is as if there were one track without a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sharedtask.competition.models import Phase, Task

NO_TRACK = ""
"""The code of the track of a run in a task without tracks."""


@dataclass(frozen=True, kw_only=True)
class Track:
    code: str
    title: str
    main_metrics: tuple[str, ...]
    """Each has its own ranking in this track."""
    other_metrics: tuple[str, ...] = ()
    """Shown after the main ones. Files of this track are compared by no others."""
    input: str = ""
    """The variant of the inputs that systems are given."""
    given_columns: tuple[str, ...] = ()
    """Columns of gold that this variant has besides the tokens."""
    reader: str = ""
    """The format of its files, if it is not that of the task."""
    phases: tuple[str, ...] = ()
    """Codes of the phases that accept its runs; empty for all."""

    @property
    def metrics(self) -> tuple[str, ...]:
        return (*self.main_metrics, *self.other_metrics)

    def hides(self, other: Track) -> bool:
        """Whether the other one gives columns that this one does not: then they are gold here."""
        return not set(other.given_columns) <= set(self.given_columns)

    def is_in(self, phase: str) -> bool:
        """Whether the phase with this code accepts its runs."""
        return not self.phases or phase in self.phases


def tracks_of(task: Task) -> list[Track]:
    return read_tracks(task.tracks)


def read_tracks(entries: Iterable[Mapping[str, Any]]) -> list[Track]:
    """From the entries that the task stores, which are those of its folder."""
    return [Track(**as_tuples(entry)) for entry in entries]


def as_tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}


def find_track(task: Task, code: str) -> Track | None:
    """None in a task without tracks, and if there is no such track."""
    return next((track for track in tracks_of(task) if track.code == code), None)


def track_title(task: Task, code: str) -> str:
    """Empty in a task without tracks."""
    track = find_track(task, code) if code else None
    return track.title if track else code


def tracks_in(phase: Phase) -> list[Track]:
    return [track for track in tracks_of(phase.task) if track.is_in(phase.code)]


def track_codes(phase: Phase) -> list[str]:
    """Of the tracks of a phase, in the task's order; in a task without tracks the empty code alone."""
    if not phase.task.tracks:
        return [NO_TRACK]
    return [track.code for track in tracks_in(phase)]


def track_order(task: Task) -> list[str]:
    """All codes in the task's order, with the empty one, which is that of a task without tracks."""
    return [NO_TRACK, *(track.code for track in tracks_of(task))]

"""The metrics of a task: its profile with its options, the main metrics, and the others that boards show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evaluation import Options, Presentation, Profile, ProfileError
from evaluation.ranking.significance import Sides
from evaluation.scoring.presentation import PLAIN, PRESENTATIONS
from evaluation.scoring.profiles import definitions, find_profile
from sharedtask.competition.models import Task
from sharedtask.competition.scorer import (
    declaration_of,
    scorer_metrics,
    version_of_profile,
    with_scorer,
)
from sharedtask.competition.tracks import NO_TRACK, find_track


def profile_of(task: Task) -> Profile:
    """With the metrics of the organisers' own scorer, if one is in force.

    Raises `ProfileError`, which names the profile, if it is not installed or cannot be used.
    """
    base = base_profile(task)
    return with_scorer(base, task.scorer) if task.scorer else base


def base_profile(task: Task) -> Profile:
    """Without the organisers' own scorer: what files are read, checked and compared by."""
    try:
        return find_profile(task.profile)
    except ValueError as error:
        raise ProfileError(f"the profile {task.profile} is not installed") from error


def installed_version(task: Task) -> str | None:
    """Of the profile as it is installed here, with the newest scorer; None if it cannot be used."""
    try:
        base = base_profile(task)
        return (with_scorer(base, task.newest_scorer) if task.newest_scorer else base).version
    except ProfileError:
        return None


def can_compute(task: Task) -> bool:
    """Whether the version in force is the installed one. With another one, figures would change silently."""
    return is_installed(task, task.profile_version)


def is_installed(task: Task, profile_version: str) -> bool:
    """Of the scorer, every version is at hand: its images are stored."""
    try:
        return base_profile(task).version == version_of_profile(profile_version)
    except ProfileError:
        return False


def pending_version(task: Task) -> str | None:
    """An installed version that an organiser has not put in force yet; None if there is no such version."""
    installed = installed_version(task)
    return None if installed == task.profile_version else installed


def options_of(task: Task, track: str = NO_TRACK) -> Options:
    """Those of the profile, and what the task and the track choose."""
    chosen_track = find_track(task, track)
    reader = chosen_track.reader if chosen_track and chosen_track.reader else task.reader
    chosen = replace(profile_of(task).options, reader=reader, extra=tuple(task.extra_metrics))
    return replace(chosen, verbs=tuple(task.verbs)) if task.verbs else chosen


def metrics_of(task: Task, track: str = NO_TRACK) -> tuple[str, ...]:
    """All that files are scored by: those of the track, or of the profile, then those that the task adds."""
    if chosen_track := find_track(task, track):
        return (*chosen_track.metrics, *scorer_metrics(task))
    return tuple(definitions(profile_of(task), options_of(task)))


def main_metrics(task: Task, track: str = NO_TRACK) -> list[str]:
    """Each has its own ranking: those that the scorer names, or else the evaluator's own."""
    named = task.scorer["declaration"].get("main") if task.scorer and not find_track(task, track) else None
    return list(named or own_main_metrics(task, track))


def own_main_metrics(task: Task, track: str = NO_TRACK) -> list[str]:
    """Those of the track, or those named by the task, or else by its profile; the scorer is disregarded."""
    if chosen_track := find_track(task, track):
        return list(chosen_track.main_metrics)
    return list(task.main_metrics) or list(base_profile(task).main)


def displayed_metrics(task: Task, track: str = NO_TRACK) -> list[str]:
    """Those that boards and run pages show, the main metrics first; in a track all of its metrics."""
    if find_track(task, track):
        return list(metrics_of(task, track))
    displayed = list(profile_of(task).displayed_metrics(main_metrics(task)))
    return [*displayed, *(name for name in task.extra_metrics if name not in displayed)]


def presentations_of(task: Task) -> Mapping[str, Presentation]:
    """Also of the metrics of the newest scorer, which organisers compare before they put it in force."""
    newest = declaration_of(task.newest_scorer).metrics if task.newest_scorer else {}
    return {**PRESENTATIONS, **newest, **profile_of(task).presentations}


def significance_test(task: Task) -> Sides:
    """Whether the p-values of the task are two-sided or one-sided."""
    return "one-sided" if task.significance_test == Task.SignificanceTest.ONE_SIDED else "two-sided"


def presentation_of(task: Task, metric: str) -> Presentation:
    """A metric that an installed version no longer has is still printed, in the usual way."""
    own = profile_of(task).presentations.get(metric)
    return own if own is not None else presentations_of(task).get(metric, PLAIN)

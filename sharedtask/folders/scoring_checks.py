"""Check what task.yaml says about scoring: the profile exists, and so do the metrics and columns it names.

In: the entry of the task. Out: problems with field and line. It comes before files are read, because the
profile says how.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from evaluation import PROFILES, Format, Options, Profile, ProfileError, TableMetric
from evaluation.reading.hide_columns import ALWAYS_GIVEN
from evaluation.scoring.baselines import BASELINES
from evaluation.scoring.metric import Metric
from evaluation.scoring.profiles import OPTIONAL
from evaluation.scoring.profiles import format_of as format_of_profile
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.problems import Problem


def check_scoring(task: YamlEntry) -> Iterator[Problem]:
    try:
        profile = PROFILES[task["profile"]]
    except ProfileError as error:
        yield task.problem("profile", str(error))
        return
    except KeyError:
        yield task.problem("profile", f"found {task['profile']!r}, expected one of {', '.join(PROFILES)}")
        return
    yield from check_metrics(task, profile)
    yield from check_baselines(task, profile)
    yield from check_given_columns(task, profile)


def check_metrics(task: YamlEntry, profile: Profile) -> Iterator[Problem]:
    possible = {**OPTIONAL, **profile.optional}
    for metric in task["extra_metrics"]:
        if metric not in possible or metric in profile.definitions:
            known = ", ".join(name for name in possible if name not in profile.definitions)
            yield task.problem("extra_metrics", f"{metric} cannot be added to {profile.name}; known: {known}")
        elif package := missing_package(possible[metric]):
            message = (
                f"{metric} needs the package {package}, which the administrator of this server can install"
            )
            yield task.problem("extra_metrics", message)
    metrics = [*profile.metrics, *task["extra_metrics"]]
    for metric in task["main_metrics"]:
        if metric not in metrics:
            known = ", ".join(metrics)
            yield task.problem("main_metrics", f"{profile.name} has no {metric}; it has {known}")


def missing_package(metric: Metric) -> str:
    """Empty if everything is there that the metric needs."""
    needed = metric.needs if isinstance(metric, TableMetric) else ""
    return needed if needed and find_spec(needed) is None else ""


def check_baselines(task: YamlEntry, profile: Profile) -> Iterator[Problem]:
    for name in task["server_baselines"]:
        if name not in BASELINES:
            message = f"found {name!r}, expected some of {', '.join(BASELINES)}"
            yield task.problem("server_baselines", message)
    if task["server_baselines"] and not profile.tokens_given:
        message = f"{profile.name} does not give the tokens that the server would attach to each other"
        yield task.problem("server_baselines", message)


def check_given_columns(task: YamlEntry, profile: Profile) -> Iterator[Problem]:
    if task["given_columns"] and not profile.tokens_given:
        message = f"{profile.name} gives participants raw text, which has no columns"
        yield task.problem("given_columns", message)
        return
    columns = [name for name in format_of(task, profile).columns if name not in ALWAYS_GIVEN]
    for column in task["given_columns"]:
        if column not in columns:
            message = f"found {column!r}, expected columns of {', '.join(columns)}"
            yield task.problem("given_columns", message)


def format_of(task: YamlEntry, profile: Profile) -> Format:
    return format_of_profile(profile, Options(reader=task["reader"] or ""))

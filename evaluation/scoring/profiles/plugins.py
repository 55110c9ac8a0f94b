"""Profiles of third parties: packages with an entry point `arboretum.profiles`.

They are installed by the operator and trusted like the evaluator's own code. One that cannot be loaded does
not affect the others: asking for it says what is wrong with it.
"""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint, entry_points

from ...alias import alias_package
from ..metric import TableMetric
from ..presentation import PRESENTATIONS
from ..profile import Profile, ProfileError

GROUP = "arboretum.profiles"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def load_plugins(taken: frozenset[str]) -> tuple[dict[str, Profile], dict[str, str]]:
    """The profiles of all installed packages, and what is wrong with those that cannot be used."""
    alias_package()
    profiles: dict[str, Profile] = {}
    errors: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            if entry.name in taken or entry.name in profiles:
                raise ProfileError("another profile has this name")
            profiles[entry.name] = _load(entry)
        except ProfileError as error:
            errors[entry.name] = str(error)
    return profiles, errors


def _load(entry: EntryPoint) -> Profile:
    try:
        profile = entry.load()
    except Exception as error:
        # Any error of the package must be reported with its name, and must not stop the others.
        raise ProfileError(f"it cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(profile, Profile):
        raise ProfileError(f"{entry.value} is {type(profile).__name__}, not a Profile")
    _check(profile, entry.name)
    return profile


def _check(profile: Profile, name: str) -> None:
    """Raises ProfileError if the data of the profile contradicts itself."""
    if profile.name != name or not _NAME.fullmatch(name):
        raise ProfileError(f"its name is {profile.name!r}, not that of the entry point in lower case")
    if not profile.version:
        raise ProfileError("it has no version")
    listed = {*profile.main, *profile.secondary, *profile.segmentation, *profile.morphology}
    listed |= {metric for metrics in profile.tracks.values() for metric in metrics}
    unknown = sorted(listed - set(profile.definitions))
    if unknown or not profile.main:
        raise ProfileError(f"it lists metrics that it does not define: {', '.join(unknown) or 'no main one'}")
    if not set(profile.breakdown) <= set(profile.word_metrics):
        raise ProfileError("its breakdown lists metrics that do not count words")
    for metric, definition in {**profile.definitions, **profile.optional}.items():
        if metric not in profile.presentations and metric not in PRESENTATIONS:
            raise ProfileError(f"{metric} has no presentation")
        if isinstance(definition, TableMetric) and definition.table not in profile.tables:
            raise ProfileError(f"{metric} uses an unknown table {definition.table!r}")

"""The profiles by name, and the metrics that any of them can report in addition."""

from __future__ import annotations

from collections.abc import Mapping

from ...reading.formats import FORMATS, Format
from ..metric import Metric
from ..options import Options
from ..presentation import Presentation
from ..profile import Profile
from .conll import CONLL17, CONLL18, LABEL_ACCURACY
from .plank15 import PLANK15, WHOLE_TREES

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (CONLL17, CONLL18, PLANK15)}

OPTIONAL: Mapping[str, Metric] = {"LA": LABEL_ACCURACY, **WHOLE_TREES}
"""Metrics that an option adds to any profile."""


def find_profile(name: str) -> Profile:
    """The profile of this name; ValueError if there is none."""
    if name not in PROFILES:
        raise ValueError(f"unknown profile {name!r}; the profiles are {', '.join(PROFILES)}")
    return PROFILES[name]


def definitions(profile: Profile, options: Options) -> dict[str, Metric]:
    """All metrics to report: those of the profile, then those that the options request."""
    requested = (*(["LA"] if options.label_accuracy else []), *options.extra)
    unknown = [name for name in requested if name not in profile.definitions and name not in OPTIONAL]
    if unknown:
        raise ValueError(f"unknown metric {', '.join(unknown)}; those to add are {', '.join(OPTIONAL)}")
    more = {name: OPTIONAL[name] for name in requested if name not in profile.definitions}
    return {**profile.definitions, **more}


def presentation(profile: Profile, metric: str) -> Presentation:
    """How the figures of a metric are read and printed."""
    return profile.presentations[metric]


def format_of(profile: Profile, options: Options) -> Format:
    """The format of the files: that of the profile, unless the options name another one."""
    if options.reader and options.reader not in FORMATS:
        raise ValueError(f"unknown reader {options.reader!r}; the readers are {', '.join(FORMATS)}")
    return FORMATS[options.reader] if options.reader else profile.format

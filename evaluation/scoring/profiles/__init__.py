"""The profiles by name, and the metrics that any of them can report in addition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...reading.formats import FORMATS, Format
from ..metric import CountMetric, Metric, WordMetric
from ..options import Options
from ..presentation import PRESENTATIONS, Presentation
from ..profile import Profile, ProfileError
from .conll import CONLL17, CONLL18, LABEL_ACCURACY
from .evalatin import EVALATIN
from .iwpt21 import IWPT21
from .pascal12 import PASCAL12
from .plank15 import PLANK15, WHOLE_TREES


class _Profiles(Mapping[str, Profile]):
    """The profiles of this package, and those of installed packages, which are loaded when first needed."""

    def __init__(self, profiles: tuple[Profile, ...]) -> None:
        self._own = {profile.name: profile for profile in profiles}
        self._plugins: dict[str, Profile] | None = None
        self._errors: dict[str, str] = {}

    def __getitem__(self, name: str) -> Profile:
        if name in self._own:
            return self._own[name]
        plugins = self._load()
        if name in self._errors:
            raise ProfileError(
                f"the profile {name} of an installed package is unusable: {self._errors[name]}"
            )
        return plugins[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*self._own, *self._load()])

    def __len__(self) -> int:
        return len(self._own) + len(self._load())

    def is_own(self, profile: Profile) -> bool:
        """Whether it is one of this package, whose sums need no check."""
        return self._own.get(profile.name) is profile

    @property
    def own(self) -> tuple[str, ...]:
        """The names of those of this package."""
        return tuple(self._own)

    @property
    def errors(self) -> Mapping[str, str]:
        """The profiles of installed packages that cannot be used, and why."""
        self._load()
        return self._errors

    def _load(self) -> dict[str, Profile]:
        if self._plugins is None:
            # Looking for packages takes longer than scoring a small file, so that it is done only if needed.
            from .plugins import load_plugins

            # They may themselves ask for profiles.
            self._plugins = {}
            self._plugins, self._errors = load_plugins(frozenset(self._own))
        return self._plugins


PROFILES = _Profiles((CONLL17, CONLL18, IWPT21, EVALATIN, PLANK15, PASCAL12))

OPTIONAL: Mapping[str, Metric] = {"LA": LABEL_ACCURACY, **WHOLE_TREES}
"""Metrics that an option adds to any profile."""


def find_profile(name: str | Profile) -> Profile:
    """The profile of this name, or this one; ValueError if there is none, ProfileError if it is unusable."""
    if isinstance(name, Profile):
        return name
    try:
        return PROFILES[name]
    except KeyError:
        raise ValueError(f"unknown profile {name!r}; the profiles are {', '.join(PROFILES)}") from None


def definitions(profile: Profile, options: Options) -> dict[str, Metric]:
    """All metrics to report: those of the profile, then those that the options request.

    Files without trees have no figures that compare trees.
    """
    requested = (*(["LA"] if options.label_accuracy else []), *options.extra)
    possible = {**OPTIONAL, **profile.optional, **profile.definitions}
    unknown = [name for name in requested if name not in possible]
    if unknown:
        known = ", ".join({**OPTIONAL, **profile.optional})
        raise ValueError(f"unknown metric {', '.join(unknown)}; those to add are {known}")
    more = {name: possible[name] for name in requested if name not in profile.definitions}
    every = {**profile.definitions, **more}
    if format_of(profile, options).trees:
        return every
    without = {name: metric for name, metric in every.items() if not _needs_trees(metric)}
    if not without:
        raise ValueError(f"the files have no trees, and all metrics of {profile.name} compare trees")
    return without


def _needs_trees(metric: Metric) -> bool:
    return isinstance(metric, WordMetric | CountMetric) and metric.needs_trees


def presentation(profile: Profile, metric: str) -> Presentation:
    """How the figures of a metric are read and printed."""
    return profile.presentations.get(metric) or PRESENTATIONS[metric]


def format_of(profile: Profile, options: Options) -> Format:
    """The format of the files: that of the profile, unless the options name another one.

    Whether there are enhanced graphs is a matter of the profile, whichever format of CoNLL-U is read.
    """
    if options.reader in ("", profile.format.name):
        return profile.format
    if options.reader not in FORMATS:
        raise ValueError(f"unknown reader {options.reader!r}; the readers are {', '.join(FORMATS)}")
    chosen = FORMATS[options.reader]
    return replace(chosen, enhanced=profile.format.enhanced and not chosen.plain)

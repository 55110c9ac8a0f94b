"""The results of a campaign: test sets, and for each system the outcome of each of its files.

Standings, tables and analyses are computed from `Results` alone, without gold files: the counts by unit of
valid files are enough, and they stay in their stored form until they are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..scoring.counts import Counts, Tally, Unit
from ..scoring.metric import Metric, TableMetric, WordMetric
from ..scoring.options import Options
from ..scoring.presentation import Presentation
from ..scoring.profile import Profile
from ..scoring.profiles import definitions, find_profile, presentation

Status = Literal["valid", "invalid", "missing"]

EVERYTHING = "all"
LANGUAGE = "language:"


def is_reserved(group: str) -> bool:
    """Whether averages have this name already, so that no group can have it."""
    return not group or group == EVERYTHING or group.startswith(LANGUAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldSet:
    """A test set: its code, the groups it belongs to, its language, and the hash of its gold file.

    The default language is the code up to the first underscore, as in `en_pud`.
    """

    code: str
    groups: tuple[str, ...] = ()
    language: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        for group in self.groups:
            if is_reserved(group):
                raise ValueError(f"{group!r} is reserved and cannot be the name of a group")
        object.__setattr__(self, "language", self.language or self.code.split("_", 1)[0])


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one system's file for one test set. `run` is the run that the file comes from."""

    status: Status
    stored: bytes = field(default=b"", repr=False)
    message: str = ""
    run: str = ""

    @classmethod
    def from_counts(cls, counts: Counts, run: str = "") -> Outcome:
        """The outcome of a valid file."""
        return cls(status="valid", stored=counts.to_bytes(), run=run)

    @property
    def counts(self) -> Counts:
        """Counts by unit, unpacked on every access: those of a large campaign would not fit into memory."""
        if self.status != "valid":
            raise ValueError(f"a file that is {self.status} has no counts")
        return Counts.from_bytes(self.stored)

    def tallies(self, metrics: Mapping[str, Metric]) -> dict[str, Tally]:
        """The counts of the whole file for every metric that has counts; empty if the file is not valid."""
        if self.status != "valid":
            return {}
        counts = self.counts
        totals = counts.values.sum(axis=0, dtype=np.int64).tolist()
        return {
            name: Tally(gold, system, correct, aligned if _has_aligned(metrics.get(name)) else None)
            for name, (gold, system, correct, aligned) in zip(counts.metrics, totals, strict=True)
        }

    def figures(self, metrics: Mapping[str, Metric]) -> dict[str, float]:
        """A figure by every metric; empty if the file is not valid."""
        figures = {name: tally.f1 for name, tally in self.tallies(metrics).items()}
        tables = self.counts.tables if figures or self.status == "valid" else {}
        for name, metric in metrics.items():
            table = tables.get(metric.table) if isinstance(metric, TableMetric) else None
            if isinstance(metric, TableMetric) and table is not None and not table.is_empty:
                figures[name] = float(metric.rule(table.total().astype(np.float64)))
        return figures

    def with_run(self, run: str) -> Outcome:
        return replace(self, run=run)

    def opened(self) -> Outcome:
        """The same with its counts unpacked: they are needed several times while its test set is computed."""
        if self.status != "valid":
            return self
        return _OpenOutcome(status="valid", message=self.message, run=self.run, unpacked=self.counts)


@dataclass(frozen=True, kw_only=True)
class _OpenOutcome(Outcome):
    unpacked: Counts = field(repr=False)

    @property
    def counts(self) -> Counts:
        return self.unpacked


MISSING = Outcome(status="missing")


def _has_aligned(metric: Metric | None) -> bool:
    """Whether the number of aligned pairs means something: not where every pair is correct."""
    return metric is None or (isinstance(metric, WordMetric) and bool(metric.keys))


@dataclass(frozen=True, kw_only=True)
class Results:
    """The outcomes of all systems on all test sets; missing files may be left out."""

    # Its name, or the profile itself if it is none of the installed ones.
    profile: str | Profile
    sets: tuple[GoldSet, ...]
    systems: Mapping[str, Mapping[str, Outcome]]
    # None for those of the profile.
    options: Options | None = None
    unit: Unit = "document"
    # Of a task with tracks: the name of the track, and its metrics; empty for all metrics of the profile.
    track: str = ""
    only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        codes = [gold.code for gold in self.sets]
        if len(set(codes)) != len(codes):
            raise ValueError("a test set is listed twice")
        for name, outcomes in self.systems.items():
            unknown = sorted(set(outcomes) - set(codes))
            if unknown:
                raise ValueError(f"{name} has files for unknown test sets: {', '.join(unknown)}")
        # Sorted, so that nothing depends on the order in which folders were read.
        object.__setattr__(self, "sets", tuple(sorted(self.sets, key=lambda gold: gold.code)))
        object.__setattr__(self, "systems", {name: self.systems[name] for name in sorted(self.systems)})

    @cached_property
    def rules(self) -> Profile:
        """The profile itself."""
        return find_profile(self.profile)

    @cached_property
    def effective_options(self) -> Options:
        return self.rules.options if self.options is None else self.options

    @cached_property
    def definitions(self) -> Mapping[str, Metric]:
        """The metrics of the profile, and those that the options request; in a track only its own."""
        every = definitions(self.rules, self.effective_options)
        return {name: every[name] for name in self.only} if self.only else every

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(self.definitions)

    @property
    def main(self) -> tuple[str, ...]:
        """Those of the profile; its first metric if files without trees have none of them."""
        return self.available(self.rules.main) or self.metrics[:1]

    def available(self, metrics: Iterable[str]) -> tuple[str, ...]:
        """Those of the metrics that there are; a track has only some of its profile's."""
        return tuple(name for name in metrics if name in self.definitions)

    def presentation(self, metric: str) -> Presentation:
        return presentation(self.rules, metric)

    @cached_property
    def codes(self) -> tuple[str, ...]:
        return tuple(gold.code for gold in self.sets)

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The codes of each group, groups in alphabetical order."""
        names = sorted({group for gold in self.sets for group in gold.groups})
        return {name: tuple(gold.code for gold in self.sets if name in gold.groups) for name in names}

    @cached_property
    def languages(self) -> Mapping[str, tuple[str, ...]]:
        """The codes of each language that has several test sets."""
        by_language: dict[str, list[str]] = {}
        for gold in self.sets:
            by_language.setdefault(gold.language, []).append(gold.code)
        return {name: tuple(codes) for name, codes in sorted(by_language.items()) if len(codes) > 1}

    @cached_property
    def scopes(self) -> Mapping[str, tuple[str, ...]]:
        """The scopes of averages: `all`, each group by its name, each language as `language:en`."""
        languages = {LANGUAGE + name: codes for name, codes in self.languages.items()}
        return {EVERYTHING: self.codes, **self.groups, **languages}

    def outcome(self, system: str, code: str) -> Outcome:
        return self.systems[system].get(code, MISSING)

    def figures(self, system: str, code: str) -> Mapping[str, float]:
        """By every metric; empty for a missing or an invalid file."""
        if (system, code) not in self._figures:
            figures = self.outcome(system, code).figures(self.definitions)
            self._figures[system, code] = {name: figures[name] for name in self.available(figures)}
        return self._figures[system, code]

    def figures_of_all(self, code: str, metric: str) -> Sequence[float | None]:
        """Of every system, in their order; kept, because a test set is part of many averages."""
        known = self._figures_of_all.setdefault(code, {})
        if metric not in known:
            known[metric] = [self.figures(name, code).get(metric) for name in self.systems]
        return known[metric]

    def tallies(self, system: str, code: str) -> Mapping[str, Tally]:
        """The counts by every metric that has counts; empty for a missing or an invalid file."""
        if (system, code) not in self._tallies:
            self._tallies[system, code] = self.outcome(system, code).tallies(self.definitions)
        return self._tallies[system, code]

    def f1(self, system: str, metric: str, scope: str = EVERYTHING) -> dict[str, float | None]:
        """A system's figure on each test set of a scope; None for a missing or an invalid file."""
        return {code: self.figures(system, code).get(metric) for code in self.scopes[scope]}

    def units(self, code: str) -> int:
        """The number of units of a test set, known from any valid file; 0 if there is none."""
        if code not in self._units:
            outcomes = (self.outcome(name, code) for name in self.systems)
            valid = next((outcome for outcome in outcomes if outcome.status == "valid"), None)
            self._units[code] = 0 if valid is None else valid.counts.units
        return self._units[code]

    @cached_property
    def _units(self) -> dict[str, int]:
        return {}

    @cached_property
    def _figures(self) -> dict[tuple[str, str], Mapping[str, float]]:
        return {}

    @cached_property
    def _figures_of_all(self) -> dict[str, dict[str, Sequence[float | None]]]:
        """By test set and metric."""
        return {}

    @cached_property
    def known_averages(self) -> dict[tuple[str, tuple[str, ...], str], Mapping[str, float]]:
        """By metric, test sets and policy, for `averaging.py`."""
        return {}

    @cached_property
    def _tallies(self) -> dict[tuple[str, str], Mapping[str, Tally]]:
        return {}

    def remember(self, code: str, units: int, figures: Mapping[str, Mapping[str, float]]) -> None:
        """What is known of a test set without its counts: its units, and the figures of systems."""
        self._units[code] = units
        self._figures.update({(name, code): values for name, values in figures.items()})
        self._figures_of_all.pop(code, None)

    def subset(self, *, systems: Iterable[str] | None = None, codes: Iterable[str] | None = None) -> Results:
        """The results of some of the systems or test sets."""
        names = list(self.systems) if systems is None else list(systems)
        selected = set(self.codes if codes is None else codes)
        subset = replace(
            self,
            sets=tuple(gold for gold in self.sets if gold.code in selected),
            systems={
                name: {code: outcome for code, outcome in self.systems[name].items() if code in selected}
                for name in names
            },
        )
        # What has been computed already stays true.
        for cache in ("_figures", "_tallies"):
            known = getattr(self, cache)
            every = ((name, code) for name in subset.systems for code in selected)
            getattr(subset, cache).update({at: known[at] for at in every if at in known})
        subset._units.update({code: units for code, units in self._units.items() if code in selected})
        return subset

    def opened(self) -> Results:
        """The same with all counts in memory; for few files."""
        return self._with_caches(
            systems={
                name: {code: outcome.opened() for code, outcome in outcomes.items()}
                for name, outcomes in self.systems.items()
            }
        )

    def without_groups(self) -> Results:
        return self._with_caches(sets=tuple(replace(gold, groups=()) for gold in self.sets))

    def _with_caches(self, **changes: Any) -> Results:
        changed = replace(self, **changes)
        changed._figures.update(self._figures)
        changed._tallies.update(self._tallies)
        changed._units.update(self._units)
        return changed

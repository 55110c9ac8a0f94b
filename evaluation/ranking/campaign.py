"""Score all systems of a campaign on all test sets: folders in, `Results` out.

A task is one test set with some of the systems, so that a process reads a gold file once. Counts by unit are
returned in their stored form. With a cache, only files that were not scored before are scored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..reading.incidents import Incident, InvalidFile, Report
from ..reading.read import read
from ..reading.treebank import Treebank
from ..scoring.compare import Comparison
from ..scoring.counts import Unit, counts_by_unit
from ..scoring.options import Options
from ..scoring.profiles import find_profile, format_of
from ..scoring.references import FIRST, compare_references, refuse_other_tokens, shared_unit
from ..scoring.score import InvalidGold, read_gold
from ..signature import combined_hash
from .cache import Cache
from .combine import combine
from .folders import BadCampaign, Folders
from .processes import map_in_processes
from .results import GoldSet, Outcome, Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything besides the files that determines a score, and the folder of the cache."""

    profile: str
    options: Options
    unit: Unit
    main: tuple[str, ...] = ()
    """The metrics that decide which of several references is best; by default those of the profile."""
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class _Task:
    code: str
    gold: Path
    references: Mapping[str, Path]
    systems: Mapping[str, Path]
    settings: Settings


@dataclass(frozen=True, slots=True)
class _TaskResult:
    code: str
    gold_sha256: str
    outcomes: Mapping[str, Outcome]
    # The incidents of an invalid gold file.
    refusal: Report | None = None


def score_campaign(
    folders: Folders,
    settings: Settings,
    *,
    groups: Mapping[str, tuple[tuple[str, ...], str]] | None = None,
    runs: Mapping[str, Sequence[str]] | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Results:
    """Score everything. Raises InvalidGold if a gold file is invalid: then no figure is meaningful.

    `runs` says which folders make up which system, in order. `progress` is called with the
    number of finished files and the total.
    """
    total = sum(len(files) for files in folders.systems.values())
    hashes: dict[str, str] = {}
    outcomes: dict[str, dict[str, Outcome]] = {name: {} for name in folders.systems}
    done = 0
    for result in map_in_processes(_score, _tasks(folders, settings, jobs), jobs):
        if result.refusal is not None:
            raise InvalidGold(result.refusal)
        hashes[result.code] = result.gold_sha256
        for name, outcome in result.outcomes.items():
            outcomes[name][result.code] = outcome
        done += len(result.outcomes)
        if progress is not None:
            progress(done, total)
    known = groups or {}
    sets = []
    for code, sha256 in hashes.items():
        set_groups, language = known.get(code, ((), ""))
        sets.append(GoldSet(code=code, groups=set_groups, language=language, sha256=sha256))
    return Results(
        profile=settings.profile,
        sets=tuple(sets),
        systems=_combine_runs(outcomes, runs or {}),
        options=settings.options,
        unit=settings.unit,
    )


def _tasks(folders: Folders, settings: Settings, jobs: int) -> list[_Task]:
    """Large test sets first, so that no process is left with a large one at the end."""
    shares = 1 if len(folders.gold) >= 4 * jobs else jobs
    tasks = []
    for code, gold in sorted(folders.gold.items(), key=lambda item: -item[1].stat().st_size):
        files = {name: paths[code] for name, paths in folders.systems.items() if code in paths}
        names = list(files)
        parts = [names[share::shares] for share in range(shares)]
        # A test set without any system is read as well: it counts, and its gold must be valid.
        tasks += [
            _Task(
                code, gold, folders.references.get(code, {}), {name: files[name] for name in part}, settings
            )
            for number, part in enumerate(parts)
            if part or number == 0
        ]
    return tasks


def _score(task: _Task) -> _TaskResult:
    settings = task.settings
    profile = find_profile(settings.profile)
    try:
        golds = {
            name: read_gold(path, profile, settings.options, str(path))
            for name, path in {FIRST: task.gold, **task.references}.items()
        }
        refuse_other_tokens(list(golds.values()))
    except InvalidGold as refusal:
        return _TaskResult(task.code, "", {}, refusal.report)
    main = settings.main or profile.main
    gold_sha256 = combined_hash(golds[FIRST].sha256, {name: golds[name].sha256 for name in task.references})
    unit = shared_unit(golds.values(), settings.unit)
    cache = None if settings.cache is None else Cache(settings.cache)
    outcomes = {}
    for name, path in task.systems.items():
        try:
            content = path.read_bytes()
        except OSError as error:
            message = f"The file cannot be read: {error.strerror}. [unreadable-file]"
            outcomes[name] = Outcome(status="invalid", message=message)
            continue
        key = Cache.key(
            gold_sha256=gold_sha256,
            best_by=main if task.references else (),
            system_sha256=hashlib.sha256(content).hexdigest(),
            profile=settings.profile,
            options=settings.options,
            unit=unit,
        )
        outcome = None if cache is None else cache.get(key)
        if outcome is None:
            outcome = _outcome(golds, content, settings, unit, main)
            if cache is not None:
                cache.put(key, outcome)
        outcomes[name] = outcome
    return _TaskResult(task.code, gold_sha256, outcomes)


def _outcome(
    golds: Mapping[str, Treebank], content: bytes, settings: Settings, unit: Unit, main: Sequence[str]
) -> Outcome:
    try:
        profile = find_profile(settings.profile)
        system = read(content, format=format_of(profile, settings.options))
        if len(golds) == 1:
            comparison = Comparison(golds[FIRST], system, profile, settings.options)
        else:
            compared = compare_references(golds, system, profile, settings.options, main)
            comparison = compared.comparisons[compared.best]
    except InvalidFile as refusal:
        first = next(incident for incident in refusal.report.incidents if incident.fatal)
        return Outcome(status="invalid", message=_describe(first))
    return Outcome.from_counts(counts_by_unit(comparison, unit))


def _describe(incident: Incident) -> str:
    place = f"line {incident.line}: " if incident.line else ""
    return f"{place}{incident.message} [{incident.id}]"


def _combine_runs(
    outcomes: Mapping[str, Mapping[str, Outcome]], runs: Mapping[str, Sequence[str]]
) -> dict[str, Mapping[str, Outcome]]:
    """The systems combined from several runs, and all folders that are not used as a run."""
    used = {run for folders in runs.values() for run in folders}
    unknown = sorted(used - set(outcomes))
    if unknown:
        raise BadCampaign(f"no folder found for the run {', '.join(unknown)}")
    combined: dict[str, Mapping[str, Outcome]] = {
        name: combine([(run, outcomes[run]) for run in folders]) for name, folders in runs.items()
    }
    for name, single in outcomes.items():
        if name in combined and name not in used:
            raise BadCampaign(f"{name} is combined from runs, but a folder with this name also exists")
        if name not in used:
            combined[name] = single
    return combined

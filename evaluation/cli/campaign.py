"""`campaign GOLD_DIR SYSTEMS_DIR`: score all systems on all test sets, rank them, say who is really better.

GOLD_DIR holds <treebank>.conllu, SYSTEMS_DIR holds <system>/<treebank>.conllu, each also as .gz, .xz or .bz2.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from ..ranking.campaign import Settings, score_campaign
from ..ranking.folders import (
    BadCampaign,
    choose_sets,
    choose_systems,
    find,
    read_groups,
    read_names,
    read_runs,
)
from ..ranking.results import Results
from ..ranking.standings import Rules, stand
from ..scoring.score import InvalidGold
from .incidents import as_text
from .progress import Progress
from .score import add_options, options_of
from .standings import FORMATS, write

# So many remarks about file names are printed before the rest is only counted.
_NOTES = 20


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "campaign",
        help="score and rank all systems of a task",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("gold", metavar="GOLD_DIR", type=Path)
    parser.add_argument("systems", metavar="SYSTEMS_DIR", type=Path)
    add_options(parser)
    parser.add_argument("--groups", metavar="TSV", type=Path, help="table: treebank, group, perhaps language")
    parser.add_argument(
        "--sets", metavar="TSV", type=Path, help="like --groups, and no other test set counts"
    )
    parser.add_argument("--runs", metavar="TSV", type=Path, help="table: system, its runs, best first")
    parser.add_argument("--only", metavar="LIST", type=Path, help="file: which systems take part, one a line")
    parser.add_argument(
        "--metric", metavar="M", action="append", help="rank by it; repeatable; default: the profile's own"
    )
    parser.add_argument(
        "--resamples", metavar="B", type=_whole, default=1000, help="0: no intervals or tests"
    )
    parser.add_argument("--seed", metavar="S", type=_whole, default=1)
    parser.add_argument("--missing", choices=("zero", "exclude"), default="zero")
    parser.add_argument("--unit", choices=("sentence", "document"), default="sentence", help="what is drawn")
    parser.add_argument("--baseline", metavar="SYSTEM", action="append", default=[], help="repeatable")
    parser.add_argument("--unnumbered", action="store_true", help="baselines take no rank")
    parser.add_argument("--jobs", metavar="N", type=_whole, default=1, help="number of processes")
    parser.add_argument("--cache", metavar="DIR", type=Path, help="keep counts, and score nothing twice")
    parser.add_argument("--format", choices=sorted(FORMATS), default="table")
    parser.add_argument("--table", metavar="NAME", action="append", help="only this table; repeatable")
    parser.add_argument("-o", "--output", metavar="OUT", type=Path, help="a file, or a folder for all tables")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    try:
        _run(arguments)
    except InvalidGold as refusal:
        print(f"A gold file is invalid: nothing can be scored.\n{as_text(refusal.report)}", file=sys.stderr)
        return 2
    except BadCampaign as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenProcessPool:
        print("A process was killed, perhaps for want of memory: try fewer --jobs.", file=sys.stderr)
        return 2
    return 0


def _run(arguments: argparse.Namespace) -> None:
    folders = find(arguments.gold, arguments.systems)
    listed = arguments.sets or arguments.groups
    groups = read_groups(listed) if listed else {}
    if arguments.sets:
        folders = choose_sets(folders, list(groups))
    if arguments.only:
        folders = choose_systems(folders, read_names(arguments.only))
    runs = read_runs(arguments.runs) if arguments.runs else {}
    notes = list(folders.notes)
    ungrouped = sorted(set(folders.gold) - set(groups)) if groups else []
    if ungrouped:
        notes.append(f"{listed}: in no group: {', '.join(ungrouped)}")
    _remark(notes)
    settings = Settings(
        profile=arguments.profile,
        options=options_of(arguments),
        unit=arguments.unit,
        cache=_usable(arguments.cache),
    )
    with Progress("Scoring") as progress:
        results = score_campaign(
            folders, settings, groups=groups, runs=runs, jobs=arguments.jobs, progress=progress
        )
    main = _main_metrics(results, arguments.metric)
    _remark(_faults(results))
    unknown = sorted(set(arguments.baseline) - set(results.systems))
    if unknown:
        raise BadCampaign(f"no system is called {', '.join(unknown)}; there are {', '.join(results.systems)}")
    rules = Rules(
        missing=arguments.missing,
        baselines=frozenset(arguments.baseline),
        number_baselines=not arguments.unnumbered,
        resamples=arguments.resamples,
        seed=arguments.seed,
        runs="first-valid" if runs else "single",
    )
    standings = stand(results, rules, jobs=arguments.jobs)
    write(standings, main, arguments.format, tables=arguments.table, output=arguments.output)


def _whole(written: str) -> int:
    number = int(written)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is negative")
    return number


def _main_metrics(results: Results, asked: Sequence[str] | None) -> Sequence[str]:
    for metric in asked or ():
        if metric not in results.metrics:
            known = ", ".join(results.metrics)
            raise BadCampaign(f"the profile {results.profile} has no metric {metric}; it has {known}")
    return list(dict.fromkeys(asked)) if asked else results.main


def _usable(cache: Path | None) -> Path | None:
    if cache is not None:
        try:
            cache.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadCampaign(f"{cache}: cannot be used as a cache: {error.strerror}") from error
    return cache


def _faults(results: Results) -> list[str]:
    """One remark for every invalid file; what is missing is in the tables."""
    return [
        f"{name}: {code} is invalid: {outcome.message}"
        for name, outcomes in results.systems.items()
        for code, outcome in outcomes.items()
        if outcome.status == "invalid"
    ]


def _remark(notes: Sequence[str]) -> None:
    for note in notes[:_NOTES]:
        print(f"Note: {note}", file=sys.stderr)
    if len(notes) > _NOTES:
        print(f"Note: … and {len(notes) - _NOTES} more like these.", file=sys.stderr)

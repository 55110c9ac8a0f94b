"""`campaign GOLD_DIR SYSTEMS_DIR`: score all systems on all test sets, rank them, and test their differences.

GOLD_DIR contains <treebank>.conllu, SYSTEMS_DIR contains <system>/<treebank>.conllu (also .gz, .xz, .bz2).
A test set may have further references over the same tokens, GOLD_DIR/<treebank>/<reference>.conllu: each
file is then scored against the one that is best for it as a whole, by the first main metric.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

from ..ranking.campaign import Settings, score_campaign
from ..ranking.folders import (
    BadCampaign,
    choose_sets,
    choose_systems,
    find_files,
    read_groups,
    read_names,
    read_runs,
)
from ..ranking.results import Results
from ..ranking.standings import Rules, compute_standings
from ..scoring.score import InvalidGold
from .incidents import as_text
from .progress import Progress
from .score import add_options, read_options
from .standings import FORMATS, write

# Further notes are only counted.
_MAX_NOTES = 20


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
    parser.add_argument(
        "--groups", metavar="TSV", type=Path, help="table: treebank, group, optionally language"
    )
    parser.add_argument(
        "--sets", metavar="TSV", type=Path, help="like --groups, and only these test sets count"
    )
    parser.add_argument(
        "--runs", metavar="TSV", type=Path, help="table: system, then its runs in order of preference"
    )
    parser.add_argument(
        "--only", metavar="LIST", type=Path, help="file: the systems that take part, one per line"
    )
    _add_ranking(parser)
    _add_statistics(parser)
    _add_output(parser)
    parser.set_defaults(run=run)


def _add_ranking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--metric",
        metavar="M",
        action="append",
        help="rank by this metric; repeatable (default: the main metrics of the profile)",
    )
    parser.add_argument(
        "--track",
        metavar="NAME",
        default="",
        help="name a track of the task in the signature; only metrics of --metric and --beside are reported",
    )
    parser.add_argument(
        "--beside",
        metavar="M",
        action="append",
        default=[],
        help="with --track: report this metric too, after those of --metric; repeatable",
    )
    parser.add_argument(
        "--baseline",
        metavar="SYSTEM",
        action="append",
        default=[],
        help="mark this system as a baseline; repeatable",
    )
    parser.add_argument("--unnumbered", action="store_true", help="do not rank baselines")


def _add_statistics(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--replicates",
        metavar="B",
        type=_non_negative,
        default=1000,
        help="bootstrap replicates (default 1000; 0: no intervals or tests)",
    )
    parser.add_argument(
        "--seed", metavar="S", type=_non_negative, default=1, help="seed of the bootstrap (default 1)"
    )
    parser.add_argument(
        "--missing",
        choices=("zero", "exclude"),
        help="count a missing or invalid file as 0, or exclude it from averages (default: as the profile "
        "says, usually zero)",
    )
    parser.add_argument(
        "--unit",
        choices=("sentence", "document"),
        default="document",
        help="what the bootstrap draws: documents where gold marks at least 20 of them and sentences "
        "elsewhere, or sentences everywhere (default document)",
    )
    parser.add_argument(
        "--test",
        choices=("two-sided", "one-sided"),
        default="two-sided",
        help="two-sided p-values, or one-sided ones as in CoNLL 2017 (default two-sided)",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs", metavar="N", type=_non_negative, default=1, help="number of processes (default 1)"
    )
    parser.add_argument(
        "--cache", metavar="DIR", type=Path, help="folder for counts, so that nothing is scored twice"
    )
    parser.add_argument(
        "--format", choices=sorted(FORMATS), default="table", help="output format (default table)"
    )
    parser.add_argument("--table", metavar="NAME", action="append", help="write only this table; repeatable")
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="output file, or a folder for one file per table"
    )


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
        print(
            "A process was killed, possibly because it ran out of memory. Try fewer --jobs.", file=sys.stderr
        )
        return 2
    return 0


def _run(arguments: argparse.Namespace) -> None:
    folders = find_files(arguments.gold, arguments.systems)
    table = arguments.sets or arguments.groups
    groups = read_groups(table) if table else {}
    if arguments.sets:
        folders = choose_sets(folders, list(groups))
    if arguments.only:
        folders = choose_systems(folders, read_names(arguments.only))
    runs = read_runs(arguments.runs) if arguments.runs else {}
    notes = list(folders.notes)
    ungrouped = sorted(set(folders.gold) - set(groups)) if groups else []
    if ungrouped:
        notes.append(f"{table}: not in any group: {', '.join(ungrouped)}")
    _print_notes(notes)
    settings = Settings(
        profile=arguments.profile,
        options=read_options(arguments),
        unit=arguments.unit,
        main=tuple(arguments.metric or ()),
        cache=_prepare_cache(arguments.cache),
    )
    with Progress("Scoring") as progress:
        results = score_campaign(
            folders, settings, groups=groups, runs=runs, jobs=arguments.jobs, progress=progress
        )
    main = _main_metrics(results, arguments.metric)
    if arguments.track:
        only = dict.fromkeys([*main, *_main_metrics(results, arguments.beside or main)])
        results = replace(results, track=arguments.track, only=tuple(only))
    _print_notes(_describe_invalid_files(results))
    unknown = sorted(set(arguments.baseline) - set(results.systems))
    if unknown:
        raise BadCampaign(
            f"unknown system {', '.join(unknown)}; the systems are {', '.join(results.systems)}"
        )
    rules = Rules(
        missing=arguments.missing or results.rules.missing,
        baselines=frozenset(arguments.baseline),
        number_baselines=not arguments.unnumbered,
        replicates=arguments.replicates,
        seed=arguments.seed,
        runs="first-valid" if runs else "single",
        test=arguments.test,
    )
    standings = compute_standings(results, rules, compared=main, jobs=arguments.jobs)
    write(standings, main, arguments.format, tables=arguments.table, output=arguments.output)


def _non_negative(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must not be negative: {number}")
    return number


def _main_metrics(results: Results, requested: Sequence[str] | None) -> Sequence[str]:
    for metric in requested or ():
        if metric not in results.metrics:
            known = ", ".join(results.metrics)
            raise BadCampaign(
                f"the profile {results.profile} has no metric {metric}; its metrics are {known}"
            )
    return list(dict.fromkeys(requested)) if requested else results.main


def _prepare_cache(cache: Path | None) -> Path | None:
    if cache is not None:
        try:
            cache.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadCampaign(f"{cache}: cannot be used as a cache: {error.strerror}") from error
    return cache


def _describe_invalid_files(results: Results) -> list[str]:
    """One note per invalid file; the tables show the missing ones."""
    return [
        f"{name}: {code} is invalid: {outcome.message}"
        for name, outcomes in results.systems.items()
        for code, outcome in outcomes.items()
        if outcome.status == "invalid"
    ]


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes[:_MAX_NOTES]:
        print(f"Note: {note}", file=sys.stderr)
    if len(notes) > _MAX_NOTES:
        print(f"Note: … and {len(notes) - _MAX_NOTES} more.", file=sys.stderr)

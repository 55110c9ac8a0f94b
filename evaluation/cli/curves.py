"""`curves DIR…`: learning curves by class of dependency, and what systems are worth in annotated sentences.

DIR contains gold.conllu and <size>-<sample>.conllu, outputs of one parser trained on samples of growing size.
Every other *.conllu but train.conllu is a system to be placed on the curve. Several folders are averaged.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..curves.analyse import REPLICATES, SEED, AnalysedSet, analyse
from ..curves.analysis import Analysis
from ..curves.attachments import read_attachments
from ..curves.average import NoAverage, average
from ..curves.classes import CRITERIA, DEFAULT
from ..curves.document import build_document
from ..curves.folders import BadSeries, find_series
from ..curves.plot import plot
from ..curves.tables import all_tables
from ..ranking.render import as_text as table_as_text
from ..reading.incidents import InvalidFile
from .incidents import as_text


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "curves",
        help="analyse learning curves and place systems on them",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+")
    parser.add_argument(
        "--by", choices=CRITERIA, default=DEFAULT, help=f"criterion of the classes (default {DEFAULT})"
    )
    parser.add_argument(
        "--place",
        metavar="NAME=UAS",
        action="append",
        default=[],
        help="place a published score, in percent, on the curve; repeatable",
    )
    parser.add_argument(
        "--replicates",
        metavar="B",
        type=int,
        default=REPLICATES,
        help=f"bootstrap replicates (default {REPLICATES}; 0: no intervals)",
    )
    parser.add_argument(
        "--seed", metavar="S", type=int, default=SEED, help=f"seed of the bootstrap (default {SEED})"
    )
    parser.add_argument(
        "--format", choices=("table", "json", "svg"), default="table", help="output format (default table)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    try:
        scores = _read_scores(arguments.place)
        if arguments.replicates < 0 or arguments.seed < 0:
            raise BadSeries("--replicates and --seed must not be negative")
        test_sets = [
            analyse(
                read_attachments(find_series(folder)),
                by=arguments.by,
                scores=scores,
                replicates=arguments.replicates,
                seed=arguments.seed,
            )
            for folder in arguments.folders
        ]
        combined, why_no_average = _average(test_sets, scores)
    except BadSeries as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except InvalidFile as refusal:
        print(f"error: a file is invalid.\n{as_text(refusal.report)}", file=sys.stderr)
        return 2
    if why_no_average:
        print(f"Note: {why_no_average}", file=sys.stderr)
    _write([test_set.analysis for test_set in test_sets], combined, why_no_average, arguments.format)
    return 0


def _average(test_sets: Sequence[AnalysedSet], scores: Mapping[str, float]) -> tuple[Analysis | None, str]:
    """The average of several folders, or why there is none: the curves of each are right all the same."""
    if len(test_sets) == 1:
        return None, ""
    try:
        return average(test_sets, scores=scores), ""
    except NoAverage as reason:
        return None, f"There is no average: {reason}."


def _read_scores(options: Sequence[str]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for option in options:
        name, _, text = option.rpartition("=")
        try:
            uas = float(text)
        except ValueError:
            uas = -1.0
        if not name or not 0 <= uas <= 100:
            raise BadSeries(f"--place needs NAME=UAS with a UAS from 0 to 100, not {option!r}")
        if name in scores:
            raise BadSeries(f"--place has two scores called {name}")
        scores[name] = uas
    return scores


def _write(analyses: Sequence[Analysis], combined: Analysis | None, why_no_average: str, format: str) -> None:
    if format == "json":
        document = build_document(analyses, combined, why_no_average=why_no_average)
        json.dump(document, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
        print()
        return
    everything = [*analyses, *([combined] if combined else [])]
    if format == "svg":
        _print_notes(everything)
        print(plot([*([combined] if combined else []), *analyses]))
        return
    print("\n\n".join(_as_text(analysis) for analysis in everything))


def _as_text(analysis: Analysis) -> str:
    tables = [table_as_text(table) for table in all_tables(analysis)]
    return "\n".join([*tables, *(f"Note: {note}" for note in analysis.notes)])


def _print_notes(analyses: Sequence[Analysis]) -> None:
    for analysis in analyses:
        for note in analysis.notes:
            print(f"Note: {analysis.name}: {note}", file=sys.stderr)

"""`score GOLD SYSTEM`: print every metric of a profile."""

from __future__ import annotations

import argparse
import csv
import json
import sys

from ..reading.incidents import InvalidFile
from ..scoring.compare import Options
from ..scoring.profiles import PROFILES
from ..scoring.score import InvalidGold, Score, score
from .incidents import as_dicts, as_text


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("score", help="score a system file against a gold file", description=__doc__)
    parser.add_argument("gold", metavar="GOLD", help=".conllu (also .gz, .xz, .bz2), or - for stdin")
    parser.add_argument("system", metavar="SYSTEM", help="same formats as GOLD")
    parser.add_argument("--format", choices=_WRITERS, default="table", help="output format (default table)")
    add_options(parser)
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that determine what a score means, common to all commands that compute scores."""
    parser.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default="conll18",
        help="the published evaluator to follow (default conll18)",
    )
    parser.add_argument(
        "--punctuation",
        choices=("all", "relation", "form"),
        default="all",
        help="words that count in UAS, LAS and LA: all of them, all but those with relation punct, "
        "or all but those whose form is punctuation (default all)",
    )
    parser.add_argument("--subtypes", action="store_true", help="compare relations including their subtypes")
    parser.add_argument("--la", action="store_true", help="also report label accuracy (LA)")


def read_options(arguments: argparse.Namespace) -> Options:
    return Options(
        punctuation=arguments.punctuation, subtypes=arguments.subtypes, label_accuracy=arguments.la
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.gold == arguments.system == "-":
        print("GOLD and SYSTEM cannot both be standard input.", file=sys.stderr)
        return 2
    try:
        result = score(arguments.gold, arguments.system, arguments.profile, options=read_options(arguments))
    except InvalidGold as refusal:
        print(f"The gold file is invalid.\n{as_text(refusal.report)}", file=sys.stderr)
        return 2
    except InvalidFile as refusal:
        if arguments.format == "json":
            document = {"profile": arguments.profile, "metrics": None, "incidents": as_dicts(refusal.report)}
            json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
            print()
        else:
            print(as_text(refusal.report), file=sys.stderr)
        return 1
    _WRITERS[arguments.format](result)
    return 0


def _write_table(result: Score) -> None:
    print(f"{'Metric':<10} | Precision |    Recall |  F1 Score | AligndAcc")
    print("-----------+-----------+-----------+-----------+-----------")
    for name, tally in result.metrics.items():
        accuracy = tally.aligned_accuracy
        accuracy_text = "" if accuracy is None else f"{100 * accuracy:10.2f}"
        print(
            f"{name:<10} |{100 * tally.precision:10.2f} |{100 * tally.recall:10.2f} "
            f"|{100 * tally.f1:10.2f} |{accuracy_text}"
        )
    print(result.signature)


def _write_counts(result: Score) -> None:
    print(f"{'Metric':<10} |   Correct |      Gold |    System |   Aligned")
    print("-----------+-----------+-----------+-----------+-----------")
    for name, tally in result.metrics.items():
        aligned = "" if tally.aligned is None else f"{tally.aligned:10}"
        print(f"{name:<10} |{tally.correct:10} |{tally.gold:10} |{tally.system:10} |{aligned}")
    print(result.signature)


def _write_json(result: Score) -> None:
    document = {
        "signature": result.signature,
        "profile": result.profile,
        "metrics": {name: tally.as_dict() for name, tally in result.metrics.items()},
    }
    json.dump(document, sys.stdout, indent=2)
    print()


def _write_csv(result: Score) -> None:
    rows = [{"metric": name, **tally.as_dict()} for name, tally in result.metrics.items()]
    writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


_WRITERS = {"table": _write_table, "counts": _write_counts, "json": _write_json, "csv": _write_csv}

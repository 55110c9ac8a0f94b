"""`score GOLD SYSTEM`: print every metric of a profile."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from dataclasses import replace

from ..reading.formats import FORMATS
from ..reading.incidents import InvalidFile
from ..scoring.new_words import NewWords, new_words
from ..scoring.options import Options
from ..scoring.profile import ProfileError
from ..scoring.profiles import OPTIONAL, PROFILES, definitions, find_profile, presentation
from ..scoring.score import InvalidGold, Score, read_gold, score
from ..scoring.tally import Tally
from .incidents import as_dicts, as_text
from .two_files import REFUSED, add_files, print_invalid_gold
from .usage import WrongUsage


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("score", help="score a system file against a gold file", description=__doc__)
    add_files(parser)
    parser.add_argument(
        "--training",
        metavar="FILE",
        help="also report how many word types of GOLD are not in this file: new words",
    )
    parser.add_argument("--format", choices=_WRITERS, default="table", help="output format (default table)")
    add_options(parser)
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that determine what a score means, common to all commands that compute scores."""
    add_profile(parser, "the published evaluator to follow")
    parser.add_argument(
        "--punctuation",
        choices=("all", "relation", "form"),
        help="words that count in UAS, LAS and LA: all of them, all but those with relation punct, "
        "or all but those whose form is punctuation (default: as the profile says, usually all)",
    )
    parser.add_argument("--subtypes", action="store_true", help="compare relations including their subtypes")
    parser.add_argument("--la", action="store_true", help="also report label accuracy (LA)")
    parser.add_argument(
        "--also",
        metavar="LIST",
        type=_names,
        default=(),
        help=f"also report these metrics, separated by commas: {', '.join(OPTIONAL)}",
    )
    parser.add_argument(
        "--verbs", metavar="LIST", type=_names, help="tags that LCP and UCP count (default VERB)"
    )


def add_profile(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options that say how files are read."""
    parser.add_argument(
        "--profile",
        type=_profile,
        default="conll18",
        metavar="NAME",
        help=f"{what}: {', '.join(PROFILES.own)}, or one of an installed package (default conll18)",
    )
    parser.add_argument(
        "--reader",
        choices=tuple(FORMATS),
        default="",
        help="format of the files: "
        + ", ".join(f"{format.name} is {format.title}" for format in FORMATS.values())
        + " (default: that of the profile)",
    )


def _profile(name: str) -> str:
    try:
        return find_profile(name).name
    except (ValueError, ProfileError) as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def read_options(arguments: argparse.Namespace) -> Options:
    """The options of the profile, changed as requested."""
    usual = find_profile(arguments.profile).options
    options = replace(
        usual,
        punctuation=arguments.punctuation or usual.punctuation,
        subtypes=arguments.subtypes or usual.subtypes,
        label_accuracy=arguments.la,
        extra=arguments.also,
        verbs=arguments.verbs or usual.verbs,
        reader=arguments.reader,
    )
    try:
        definitions(find_profile(arguments.profile), options)
    except ValueError as error:
        raise WrongUsage(str(error)) from error
    return options


def run(arguments: argparse.Namespace) -> int:
    if [arguments.gold, arguments.system, arguments.training].count("-") > 1:
        print("Only one file can be standard input.", file=sys.stderr)
        return REFUSED
    options = read_options(arguments)
    try:
        result = score(arguments.gold, arguments.system, arguments.profile, options=options)
        new = find_new_words(arguments.training, result, options) if arguments.training else None
    except InvalidGold as refusal:
        print_invalid_gold(refusal)
        return REFUSED
    except InvalidFile as refusal:
        if arguments.format == "json":
            document = {"profile": arguments.profile, "metrics": None, "incidents": as_dicts(refusal.report)}
            json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
            print()
        else:
            print(as_text(refusal.report), file=sys.stderr)
        return 1
    _WRITERS[arguments.format](result, new)
    return 0


def find_new_words(training: str, result: Score, options: Options) -> NewWords:
    """Training data are read as gold is."""
    return new_words(result.gold, read_gold(training, find_profile(result.profile), options))


def _write_table(result: Score, found: NewWords | None) -> None:
    width = max(10, *map(len, result.figures))
    print(f"{'Metric':<{width}} | Precision |    Recall |  F1 Score | AligndAcc")
    print(f"{'-' * width}-+-----------+-----------+-----------+-----------")
    for name in result.figures:
        tally = result.metrics.get(name)
        if tally is None:
            print(f"{name:<{width}} |{'':>10} |{'':>10} |{_text(result, name):>10} |")
            continue
        accuracy = tally.aligned_accuracy
        accuracy_text = "" if accuracy is None else f"{100 * accuracy:10.2f}"
        print(
            f"{name:<{width}} |{100 * tally.precision:10.2f} |{100 * tally.recall:10.2f} "
            f"|{100 * tally.f1:10.2f} |{accuracy_text}"
        )
    _print_new_words(found)
    print(result.signature)


def _text(result: Score, metric: str) -> str:
    return presentation(find_profile(result.profile), metric).text(result.figures[metric])


def _write_counts(result: Score, found: NewWords | None) -> None:
    width = max(10, *map(len, result.figures))
    print(f"{'Metric':<{width}} |   Correct |      Gold |    System |   Aligned")
    print(f"{'-' * width}-+-----------+-----------+-----------+-----------")
    for name, tally in result.metrics.items():
        aligned = "" if tally.aligned is None else f"{tally.aligned:10}"
        print(f"{name:<{width}} |{tally.correct:10} |{tally.gold:10} |{tally.system:10} |{aligned}")
    for name, table in result.tables.items():
        print(f"\nTable {name}: {len(table.rows)} × {len(table.columns)}")
        print("\t".join(["", *table.columns]))
        for label, counts in zip(table.rows, table.total().tolist(), strict=True):
            print("\t".join([label, *map(str, counts)]))
    _print_new_words(found)
    print(result.signature)


def _print_new_words(found: NewWords | None) -> None:
    if found is not None:
        print(f"New words: {found.new} of {found.types} word types ({found.percentage}%)")


def _write_json(result: Score, found: NewWords | None) -> None:
    document: dict[str, object] = {
        "signature": result.signature,
        "profile": result.profile,
        "metrics": {
            name: result.metrics[name].as_dict() if name in result.metrics else {"figure": figure}
            for name, figure in result.figures.items()
        },
    }
    if result.tables:
        document["tables"] = {
            name: {"rows": table.rows, "columns": table.columns, "counts": table.total().tolist()}
            for name, table in result.tables.items()
        }
    if found is not None:
        document["new_words"] = {"types": found.types, "new": found.new, "share": found.share}
    json.dump(document, sys.stdout, indent=2)
    print()


def _write_csv(result: Score, found: NewWords | None) -> None:
    """Metrics alone: new words are none."""
    columns = ["metric", *Tally(0, 0, 0).as_dict()]
    if len(result.metrics) < len(result.figures):
        columns.append("figure")
    writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    writer.writeheader()
    for name, figure in result.figures.items():
        tally = result.metrics.get(name)
        writer.writerow({"metric": name, **({"figure": figure} if tally is None else tally.as_dict())})


_WRITERS = {"table": _write_table, "counts": _write_counts, "json": _write_json, "csv": _write_csv}

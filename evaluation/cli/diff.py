"""`diff GOLD SYSTEM`: show where a system differs from gold, by sentence, worst first, with trees."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from ..reading.incidents import InvalidFile
from ..scoring.compare import Comparison
from ..scoring.counts import counts_by_unit
from ..scoring.profiles import find_profile, format_of
from ..scoring.score import InvalidGold, compare
from ..showing.diff import (
    COLOURED,
    LEGEND,
    PLAIN,
    SentenceErrors,
    headline,
    keys_of,
    passage_lines,
    worst_sentences,
)
from ..showing.glyphs import display_text
from ..showing.passage import Passage, Passages
from .incidents import as_text
from .score import add_options, read_options
from .two_files import REFUSED, add_files, are_one_stream, print_invalid_gold


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "diff", help="show where a system differs from gold, worst sentences first", description=__doc__
    )
    add_files(parser)
    parser.add_argument(
        "--sentences", type=int, default=10, metavar="N", help="number of sentences (default 10; 0 for all)"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output format (default text)"
    )
    add_metric_option(parser)
    add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    arguments.la = arguments.la or arguments.metric == "LA"
    comparison = compare_files(arguments)
    if isinstance(comparison, int):
        return comparison
    metric = read_metric(arguments, (*comparison.profile.metrics, "LA"))
    if metric is None:
        return 2
    write = _write_json if arguments.format == "json" else _write
    write(comparison, metric, arguments.sentences, sys.stdout)
    return 0


def add_metric_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--metric",
        default="",
        metavar="NAME",
        help="metric that decides what counts as an error (default: the first main metric of the profile)",
    )


def read_metric(arguments: argparse.Namespace, metrics: Sequence[str]) -> str | None:
    """The chosen one of these metrics; None if an error has been printed."""
    if not format_of(find_profile(arguments.profile), read_options(arguments)).trees:
        print(f"Files read as {arguments.reader} have no trees to compare.", file=sys.stderr)
        return None
    metric: str = arguments.metric or find_profile(arguments.profile).main[0]
    if metric in metrics:
        return metric
    print(f"Unknown metric {metric!r}; the metrics are {', '.join(metrics)}.", file=sys.stderr)
    return None


def compare_files(arguments: argparse.Namespace) -> Comparison | int:
    """The requested comparison, or the exit code if an error has been printed."""
    if are_one_stream(arguments):
        return REFUSED
    try:
        return compare(arguments.gold, arguments.system, arguments.profile, options=read_options(arguments))
    except InvalidGold as refusal:
        print_invalid_gold(refusal)
        return REFUSED
    except InvalidFile as refusal:
        print(as_text(refusal.report), file=sys.stderr)
        return 1


def _write(comparison: Comparison, metric: str, limit: int, out: TextIO) -> None:
    palette = COLOURED if _wants_colour(out) else PLAIN
    worst = worst_sentences(counts_by_unit(comparison), metric)
    passages = Passages(comparison, keys_of(comparison, metric))
    selected = worst[:limit] if limit > 0 else worst
    for sentence in selected:
        passage = passages.passage_of(sentence.sentence)
        print(f"{palette.strong}{headline(passage, sentence, metric)}{palette.end}", file=out)
        if passage.text:
            print(display_text(passage.text, 400), file=out)
        for line in passage_lines(passage, palette):
            print(line, file=out)
        print(file=out)
    total = comparison.gold.sentences
    print(
        f"{len(selected)} of {len(worst)} sentences with {metric} errors shown; {total} sentences in total.",
        file=out,
    )
    print(LEGEND, file=out)


def _write_json(comparison: Comparison, metric: str, limit: int, out: TextIO) -> None:
    worst = worst_sentences(counts_by_unit(comparison), metric)
    passages = Passages(comparison, keys_of(comparison, metric))
    selected = worst[:limit] if limit > 0 else worst
    document = {
        "metric": metric,
        "sentences_total": comparison.gold.sentences,
        "sentences_with_errors": len(worst),
        "sentences": [_as_dict(passages.passage_of(sentence.sentence), sentence) for sentence in selected],
    }
    json.dump(document, out, ensure_ascii=False, indent=2)
    print(file=out)


def _as_dict(passage: Passage, sentence: SentenceErrors) -> dict[str, object]:
    return {
        "number": sentence.sentence + 1,
        "id": passage.sentence_id,
        "text": passage.text,
        "gold_line": passage.gold_line,
        "system_line": passage.system_line,
        "gold": sentence.tally.gold,
        "system": sentence.tally.system,
        "correct": sentence.tally.correct,
        "errors": sentence.errors,
    }


def _wants_colour(out: TextIO) -> bool:
    """Whether the output is a terminal with colours and NO_COLOR is not set (no-color.org)."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

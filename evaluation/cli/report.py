"""`report GOLD SYSTEM -o FILE`: write an HTML page of scores, breakdowns, confusions and trees."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..showing.report import MAX_SENTENCES, SENTENCES, report
from .diff import add_metric_option, compare_files, read_metric
from .score import add_options
from .two_files import add_files


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "report", help="write an HTML page of scores, breakdowns and trees", description=__doc__
    )
    add_files(parser)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="the HTML file to write"
    )
    parser.add_argument(
        "--sentences",
        type=int,
        default=SENTENCES,
        metavar="N",
        help=f"number of sentences to draw (default {SENTENCES}, at most {MAX_SENTENCES})",
    )
    add_metric_option(parser)
    add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    arguments.la = arguments.la or arguments.metric == "LA"
    comparison = compare_files(arguments)
    if isinstance(comparison, int):
        return comparison
    metric = read_metric(arguments, (*comparison.profile.word_metrics, "LA"))
    if metric is None:
        return 2
    page = report(comparison, metric=metric, sentences=max(arguments.sentences, 0))
    try:
        arguments.output.write_text(page, encoding="utf-8")
    except OSError as error:
        print(f"The page cannot be written: {error}", file=sys.stderr)
        return 2
    return 0

"""`judgements DIR`: compare human judgements of two outputs with each other and with every metric.

DIR has `gold.conll`, the outputs of two systems (`*.conll`) and `judgements.tsv` with the columns sentence,
annotator and choice (the name of a system, or `equal`).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ..judgements.analyse import Estimate
from ..judgements.document import build_document
from ..judgements.folder import FolderAnalysis, analyse_folder
from ..judgements.measures import CONTENT, FUNCTION
from ..judgements.table import BadJudgements
from ..reading.incidents import InvalidFile
from .incidents import as_text


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "judgements",
        help="compare human judgements of two outputs with every metric",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder with the files and judgements")
    parser.add_argument(
        "--verbs", type=_tags, default=(), metavar="TAGS", help="tags of verbs (default VERB)"
    )
    parser.add_argument(
        "--content",
        type=_tags,
        default=CONTENT,
        metavar="TAGS",
        help="tags of content words, separated by commas",
    )
    parser.add_argument(
        "--function",
        type=_tags,
        default=FUNCTION,
        metavar="TAGS",
        help="tags of function words, separated by commas",
    )
    parser.add_argument("--format", choices=_WRITERS, default="table", help="output format (default table)")
    parser.set_defaults(run=run)


def _tags(text: str) -> tuple[str, ...]:
    tags = tuple(tag.strip() for tag in text.split(","))
    if not all(tags):
        raise argparse.ArgumentTypeError("expected tags separated by commas")
    return tags


def run(arguments: argparse.Namespace) -> int:
    try:
        result = analyse_folder(
            arguments.folder,
            verbs=arguments.verbs,
            content=arguments.content,
            function=arguments.function,
        )
    except BadJudgements as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except InvalidFile as refusal:
        print(as_text(refusal.report), file=sys.stderr)
        return 2
    _WRITERS[arguments.format](result)
    return 0


def _write_json(result: FolderAnalysis) -> None:
    json.dump(build_document(result.analysis), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    print()


def _write_table(result: FolderAnalysis) -> None:
    analysis = result.analysis
    judgements = int((analysis.table.labels >= 0).sum())
    annotators = len(analysis.table.annotators)
    print(f"Items: {len(analysis.table.items)}, judgements: {judgements}, annotators: {annotators}")
    for name, estimate in analysis.agreement.items():
        print(f"Agreement, {name + ':':<14}{_number(estimate)}")
    print()
    for name, estimate in analysis.preference.items():
        print(f"{name} is preferred on {_number(estimate)} of the items")
    undetermined = int(analysis.aggregation.undetermined.sum())
    if undetermined:
        print(f"The aggregated choice of {undetermined} items is undetermined.")
    for name, competence in zip(analysis.table.annotators, analysis.aggregation.competence, strict=True):
        print(f"Competence of {name}: {competence:.3f}")
    print("\np-values are of the difference from the main metric; “agr.” is that of the agreement.")
    print(
        f"{'Metric':<14} | {'Spearman ρ':<23} | {'Agreement':<23} | Ties | p (paired) | p (Fisher) | p (agr.)"
    )
    print(
        "---------------+-------------------------+-------------------------+------+------------+------------"
        "+---------"
    )
    for name, metric in analysis.metrics.items():
        print(
            f"{name:<14} | {_number(metric.spearman):<23} | {_number(metric.agreement):<23} "
            f"| {metric.ties:4} | {_p(metric.paired_p):>10} | {_p(metric.fisher_p):>10} "
            f"| {_p(metric.agreement_p):>8}"
        )
    if analysis.contradicted:
        items = ", ".join(map(str, analysis.contradicted))
        print(f"\nMost annotators contradict the main metric on the items {items}.")


def _number(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


_WRITERS = {"table": _write_table, "json": _write_json}

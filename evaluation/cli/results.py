"""`results TASK`: the standings of a task, as far as you may see them."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from ..client.client import flat_record
from ..client.errors import OK
from .online import Commands, client_of, new_parser, table

SPECIAL = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\~{}"}
)


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = new_parser(commands, "results", run, help="print the standings of a task", description=__doc__)
    parser.add_argument("task", metavar="TASK")
    parser.add_argument("--phase", default="", help="code of the phase")
    parser.add_argument("--track", default="", help="code of the track, in a task with tracks")
    parser.add_argument("--ranking", default="", help="official, unofficial, best or open")
    parser.add_argument("--metric", default="", help="metric to rank by (default: the main one)")
    parser.add_argument("--group", default="", help="group of test sets (default: all)")
    parser.add_argument(
        "--format", choices=("table", "csv", "json", "latex"), default="table", help="(default table)"
    )


def run(arguments: argparse.Namespace) -> int:
    document = client_of(arguments).leaderboard(
        arguments.task,
        phase=arguments.phase,
        track=arguments.track,
        ranking=arguments.ranking,
        metric=arguments.metric,
        group=arguments.group,
    )
    records = document["items"]
    if arguments.quiet:
        print("\n".join(str(record["system_id"]) for record in records))
    elif arguments.json or arguments.format == "json":
        print(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        print(WRITERS[arguments.format](document), end="")
    return OK


def columns_of(document: Mapping[str, Any]) -> dict[str, str]:
    return {
        "rank": "rank",
        "team": "team",
        "system": "system",
        "score": str(document["metric"]),
        "low": "low",
        "high": "high",
        "rank_low": "best rank",
        "rank_high": "worst rank",
    }


def as_table(document: Mapping[str, Any]) -> str:
    return f"{table(document['items'], columns_of(document))}\n{document['signature']}\n"


def as_csv(document: Mapping[str, Any]) -> str:
    records = [flat_record(item) for item in document["items"]]
    output = io.StringIO()
    names = list(records[0]) if records else list(columns_of(document))
    writer = csv.DictWriter(output, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return output.getvalue()


def as_latex(document: Mapping[str, Any]) -> str:
    """Needs the package booktabs. The signature is a comment, so that it stays with the table."""
    columns = columns_of(document)
    lines = [
        f"% {document['signature']}",
        r"\begin{tabular}{rll" + "r" * (len(columns) - 3) + "}",
        r"\toprule",
    ]
    lines += [" & ".join(title.translate(SPECIAL) for title in columns.values()) + r" \\", r"\midrule"]
    for record in document["items"]:
        lines.append(" & ".join(latex_cell(record.get(name)) for name in columns) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def latex_cell(value: object) -> str:
    if value is None:
        return "--"
    return f"{value:.2f}" if isinstance(value, float) else str(value).translate(SPECIAL)


WRITERS = {"table": as_table, "csv": as_csv, "latex": as_latex}

"""`validate FILE…`: report every error in the files, optionally also against the raw text."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ..reading.kinds import explain
from ..reading.source import printable
from ..scoring.validate import decode_text, validate
from .incidents import as_annotations, as_dicts, as_text
from .score import add_profile


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("validate", help="check CoNLL-U files", description=__doc__)
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help=".conllu (also .gz, .xz, .bz2), or - for stdin"
    )
    parser.add_argument("--text", type=Path, metavar="RAW", help="the raw text that the file must reproduce")
    parser.add_argument(
        "--tokens",
        metavar="INPUT",
        help="the input file whose words and sentences the file must keep, if the task gives tokens",
    )
    add_profile(parser, "profile whose format and rule for spaces apply")
    parser.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="output for people, for programs, or as annotations of a GitHub workflow (default text)",
    )
    parser.add_argument("--explain", metavar="ID", help="explain an incident id and exit")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.explain:
        return _explain(arguments.explain)
    if not arguments.files:
        print("Give at least one file, or --explain ID.", file=sys.stderr)
        return 2
    if (arguments.text or arguments.tokens) and len(arguments.files) > 1:
        print("--text and --tokens take only one file: each file has its own input.", file=sys.stderr)
        return 2
    try:
        text = decode_text(arguments.text) if arguments.text else None
    except (OSError, UnicodeDecodeError) as error:
        print(f"The raw text cannot be read: {error}", file=sys.stderr)
        return 2
    reports = [
        validate(
            file,
            text=text,
            profile=arguments.profile,
            name=None if file == "-" else printable(file),
            reader=arguments.reader,
            tokens=arguments.tokens,
        )
        for file in arguments.files
    ]
    if arguments.format == "json":
        document: list[dict[str, object]] = [
            {"file": r.name, "valid": r.valid, "counts": dict(r.counts), "incidents": as_dicts(r)}
            for r in reports
        ]
        json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
        print()
    for report in reports:
        if arguments.format == "github" and report.incidents:
            print(as_annotations(report))
        elif arguments.format == "text":
            incidents = [as_text(report)] if report.incidents else []
            print("\n".join([*incidents, f"{report.name}: {'valid' if report.valid else 'invalid'}"]))
    return 0 if all(report.valid for report in reports) else 1


def _explain(id: str) -> int:
    try:
        print(explain(id))
    except KeyError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    return 0

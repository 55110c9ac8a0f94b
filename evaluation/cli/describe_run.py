"""A run, and the verdict on its files, as text and as an exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..client.errors import INVALID, OK, REFUSED, SERVER
from .online import paint, table

MAX_SHOWN = 5
"""Incidents of one kind and file; --json has all that the site gives."""
ENDS = {"refused": INVALID, "failed": SERVER}


def exit_code(run: Mapping[str, Any]) -> int:
    """0 if it is scored, or checked where scores are hidden, and all its files are valid."""
    if run["status"] == "rejected":
        return REFUSED
    if run["state"] in ENDS:
        return ENDS[run["state"]]
    return INVALID if any(file["state"] == "invalid" for file in run["files"]) else OK


def describe(run: Mapping[str, Any]) -> str:
    lines = [f"Run {run['id']}: {run['sentence']}", run["url"]]
    if run["status"] != "counts":
        lines.append(paint(f"This run does not count: it is {run['status']}.", "bad"))
    receipt = run.get("receipt") or {}
    if receipt.get("refusal"):
        lines += describe_refusal(receipt["refusal"])
    lines += [describe_file(file) for file in run["files"] if file["state"] in ("invalid", "missing")]
    scored = [file for file in run["files"] if file["scores"]]
    if scored:
        metrics = list(scored[0]["scores"])
        rows = [{"test_set": file["test_set"], **file["scores"]} for file in scored]
        if run["averages"]:
            rows.append({"test_set": "average", **run["averages"]})
        lines += ["", table(rows, {"test_set": "test set", **{name: name for name in metrics}})]
    if run["rank"]:
        lines.append(f"Rank {run['rank']['rank']} ({run['rank']['ranking']})")
    return "\n".join(lines)


def describe_refusal(refusal: Mapping[str, Any]) -> list[str]:
    """Also that of a local check."""
    lines = [f"{paint(refusal['message'], 'bad')} [{refusal['id']}]"]
    return lines + [f"    Expected: {refusal['expected']}."] if refusal.get("expected") else lines


def describe_file(file: Mapping[str, Any]) -> str:
    """Also for the files of a local check, which have the same form."""
    name = f"{file['test_set']}.conllu"
    if file["state"] == "missing":
        return f"{name}: {paint('missing', 'dim')}"
    good = file["state"] != "invalid"
    lines = describe_incidents(name, file["incidents"])
    return "\n".join([*lines, f"{name}: {paint(file['state'], 'good' if good else 'bad')}"])


def describe_incidents(name: str, groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each kind is explained once, after its first incident, as `validate` does."""
    lines = []
    for group in groups:
        for number, incident in enumerate(group["shown"][:MAX_SHOWN]):
            place = f"{name}:{incident['line']}" if incident["line"] else name
            message = f"{incident['title']}: found {incident['found']}, expected {incident['expected']}."
            lines.append(f"{place}: [{incident['id']}] {message}")
            if number == 0:
                lines.append(f"    {group['remedy']}")
        more = group["count"] - min(len(group["shown"]), MAX_SHOWN)
        if more > 0:
            lines.append(f"{name}: … and {more:,} more of [{group['id']}], {group['count']:,} in total.")
    return lines

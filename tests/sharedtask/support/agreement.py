"""Compare the local verdict of `check` with that of the server, through the API, file by file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from evaluation.client.client import Client


def folder_of_sets(folder: Path, sets: Mapping[str, tuple[bytes, bytes]]) -> Path:
    """A task folder with gold and raw text for each code, all in one open phase."""
    for place in ("gold", "raw"):
        (folder / place).mkdir(parents=True)
    for code, (gold, text) in sets.items():
        (folder / "gold" / f"{code}.conllu").write_bytes(gold)
        (folder / "raw" / f"{code}.txt").write_bytes(text)
    phase = {
        "code": "open",
        "kind": "trial",
        "title": "Open phase",
        "feedback": "validity",
        "opens_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    task = {
        "slug": "agreement",
        "title": "Agreement",
        "summary": "Outputs.",
        "description": "Outputs of all kinds.",
        "profile": "conll17",
        "phases": [phase],
        "test_sets": [{"code": code, "language": "A language", "tag": "en"} for code in sets],
    }
    (folder / "task.yaml").write_text(yaml.safe_dump(task), encoding="utf-8")
    return folder


def verdicts(client: Client, path: Path, work: Callable[[], Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Locally and on the site, in the same form."""
    at_home = client.check(path, "agreement").as_dict()
    receipt = client.submit(path, "agreement")
    work()
    run = client.run(receipt["id"])
    names = ("test_set", "state", "incident_count", "incidents")
    at_the_site = {
        "valid": run["receipt"]["refusal"] is None
        and all(file["state"] != "invalid" for file in run["files"]),
        "refusal": run["receipt"]["refusal"],
        "files": [{name: shown(file)[name] for name in names} for file in run["files"]],
    }
    return at_home, at_the_site


def shown(file: dict[str, Any]) -> dict[str, Any]:
    """A valid file is called scored as soon as its score is known; without incidents there is no count."""
    state = "valid" if file["state"] == "scored" else file["state"]
    return {**file, "state": state, "incident_count": file["incident_count"] or 0}

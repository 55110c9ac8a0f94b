"""A cache of outcomes, keyed by the content of the files: a folder of small files.

An entry that is damaged, truncated or of another version counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..scoring.counts import Counts, Unit
from ..scoring.options import Options
from ..scoring.profiles import find_profile
from ..version import VERSION
from .results import Outcome

_FORMAT = b"arboretum-outcome-1\n"
_DIGEST = 32


class Cache:
    """`get` and `put` by key; several processes may use one folder at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def key(
        *,
        gold_sha256: str,
        system_sha256: str,
        profile: str,
        options: Options,
        unit: Unit,
        best_by: Sequence[str] = (),
    ) -> str:
        """Everything that an outcome depends on; `best_by` only where there are several references."""
        version = find_profile(profile).version
        parts = [VERSION, gold_sha256, system_sha256, profile, version, asdict(options), unit, *best_by]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> Outcome | None:
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        payload = content[len(_FORMAT) + _DIGEST :]
        if content[: len(_FORMAT) + _DIGEST] != _FORMAT + hashlib.sha256(payload).digest():
            return None
        try:
            first, _, stored = payload.partition(b"\n")
            header = json.loads(first)
            if header["status"] == "valid":
                Counts.from_bytes(stored)
            return Outcome(status=header["status"], stored=stored, message=header["message"])
        except (ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, outcome: Outcome) -> None:
        """Write to a temporary file first, so that a reader sees all of an entry or none of it."""
        header = {"status": outcome.status, "message": outcome.message}
        payload = json.dumps(header).encode() + b"\n" + outcome.stored
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_FORMAT + hashlib.sha256(payload).digest() + payload)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

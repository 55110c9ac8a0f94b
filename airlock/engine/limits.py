"""The limits of a run."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

MEBIBYTE = 2**20
GIBIBYTE = 2**30


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The defaults are those of CoNLL 2017 where it had one: one processor and 4 GB."""

    cpus: float = 1.0
    memory_bytes: int = 4 * GIBIBYTE
    """All processes together, with their files in /tmp and in the output directory. There is no swap."""
    processes: int = 256
    """Processes and threads."""
    output_bytes: int = GIBIBYTE
    output_files: int = 10_000
    """Files and directories."""
    log_bytes: int = 16 * MEBIBYTE
    """stdout and stderr together."""
    tmp_bytes: int = GIBIBYTE
    wall_seconds: int = 6 * 3600
    open_files: int = 4096
    shared_memory_bytes: int = 64 * MEBIBYTE

    @property
    def wall_minutes(self) -> int:
        return self.wall_seconds // 60

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Limits:
        return cls(**json.loads(text))

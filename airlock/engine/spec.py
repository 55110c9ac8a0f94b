"""What to run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .limits import Limits

RUN_ID = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,99}")


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    run_id: str
    """Unique among all runs of an engine: letters, digits, `_`, `.` and `-`."""
    image_id: str
    """As in `airlock.images.Image.image_id`; never a tag."""
    inputs: Mapping[str, bytes | Path]
    """Files of the input directory: name (with `/` for folders) → content, or a file with the content."""
    limits: Limits = field(default_factory=Limits)
    command: tuple[str, ...] = ()
    """Replaces entry point and arguments of the image. Input and output directory are appended anyway."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables besides `INPUT_DIR` and `OUTPUT_DIR`."""

    def __post_init__(self) -> None:
        if not RUN_ID.fullmatch(self.run_id):
            raise ValueError(f"run id {self.run_id!r}: expected letters, digits, '_', '.' and '-'")

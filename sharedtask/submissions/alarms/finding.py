"""What a detector has found. Equal findings have the same `event`, so that an alarm is raised only once."""

from __future__ import annotations

from dataclasses import dataclass

from sharedtask.submissions.models import Alarm, Run, RunFile


@dataclass(frozen=True, kw_only=True)
class Finding:
    kind: Alarm.Kind
    run: Run
    text: str
    about: str = ""
    """Distinguishes several findings of one kind about one run."""
    file: RunFile | None = None

    @property
    def event(self) -> str:
        return f"{self.kind.value}:{self.run.public_id}" + (f":{self.about}" if self.about else "")

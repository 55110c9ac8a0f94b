"""A team's note about one of its runs, for the team itself and the organisers."""

from __future__ import annotations

from sharedtask.accounts.models import User
from sharedtask.core.errors import Refusal
from sharedtask.submissions.models import Run

MAX_LENGTH = 200


def write_note(*, run: Run, by: User, note: str) -> None:
    """An empty note removes the one before."""
    Run.objects.filter(pk=run.pk).update(note=fitting_note(note))


def fitting_note(note: str) -> str:
    """On one line, without characters that PostgreSQL rejects."""
    note = " ".join(note.replace("\0", "").split())
    if len(note) > MAX_LENGTH:
        raise Refusal(
            "note-too-long",
            f"A note has at most {MAX_LENGTH} characters; this one has {len(note)}.",
            found=str(len(note)),
            expected=f"at most {MAX_LENGTH}",
        )
    return note

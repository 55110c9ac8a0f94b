"""What a run's page says about its state, in words and in steps.

In: a run, its files, how many of them are scored, and what the viewer may see. Out: `Progress`. The words
follow from the arguments alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sharedtask.core.errors import APOLOGY
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run, RunFile
from sharedtask.submissions.run_access import RunSight

STEPS: tuple[str, ...] = ("received", "checking", "scoring", "scored")
STEPS_OTHERWISE: dict[str, tuple[str, ...]] = {
    "checked": ("received", "checking", "checked"),
    "refused": ("received", "checking", "refused"),
    "failed": ("received", "failed"),
}


@dataclass(frozen=True, kw_only=True)
class Step:
    name: str
    status: str
    """done, current or ahead."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    state: str
    sentence: str
    steps: tuple[Step, ...]
    done: int
    total: int
    final: bool
    seen: str
    """Differs whenever the page should be drawn anew."""


def progress(run: Run, files: Sequence[RunFile], scored: int, sight: RunSight) -> Progress:
    state = run_access.state_shown(run, scores=sight.scores)
    judged = sum(file.state != RunFile.State.WAITING for file in files)
    unusable = sum(file.state in (RunFile.State.INVALID, RunFile.State.MISSING) for file in files)
    done = scored + unusable if state in ("scoring", "scored") else judged
    final = run.is_final or state == "checked"
    return Progress(
        state=state,
        sentence=sentence(state, done, len(files), files),
        steps=steps(state),
        done=done,
        total=len(files),
        final=final,
        seen=f"{state}-{done}-{len(files)}",
    )


def sentence(state: str, done: int, total: int, files: Sequence[RunFile]) -> str:
    if state == "received":
        return "Received. Your archive is safely stored and waits for a free worker."
    if state == "checking":
        return f"Checking: {done} of {total} files." if total else "Checking: unpacking the archive."
    if state == "scoring":
        return f"Scoring: {done} of {total} files done."
    if state == "refused":
        return "Refused. The archive cannot be used; the reason is below. None of its files was scored."
    if state == "failed":
        return APOLOGY
    bad = sum(file.state in (RunFile.State.INVALID, RunFile.State.MISSING) for file in files)
    if state == "checked":
        return f"Checked: {total - bad} of {total} files are valid."
    return f"Scored: {total - bad} of {total} files." + (
        f" {bad} {'is' if bad == 1 else 'are'} missing or invalid; see below." if bad else ""
    )


def steps(state: str) -> tuple[Step, ...]:
    names = STEPS_OTHERWISE.get(state, STEPS)
    here = names.index(state)
    # The last step is no waiting: who has reached it is done.
    done = here + 1 if here == len(names) - 1 else here
    return tuple(
        Step(name=name, status="done" if place < done else "current" if place == here else "ahead")
        for place, name in enumerate(names)
    )

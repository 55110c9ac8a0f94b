"""The state of a run as its page shows it: a sentence and a row of steps.

In: a run, its files, how many of them are scored, and what the viewer may see. Out: `Progress`, which depends
on these arguments only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sharedtask.core.errors import APOLOGY, SCORER_FAILED, ScorerFailure
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run, RunFile
from sharedtask.submissions.run_access import RunPermissions

STEPS: tuple[str, ...] = ("received", "checking", "scoring", "scored")
OTHER_STEPS: dict[str, tuple[str, ...]] = {
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
    version: str
    """Changes when the page has to be rendered again."""


def progress(run: Run, files: Sequence[RunFile], scored: int, permissions: RunPermissions) -> Progress:
    state = run_access.visible_state(run, scores=permissions.scores)
    checked = sum(file.state != RunFile.State.WAITING for file in files)
    unusable = sum(file.state in (RunFile.State.INVALID, RunFile.State.MISSING) for file in files)
    done = scored + unusable if state in ("scoring", "scored") else checked
    final = run.is_final or state == "checked"
    return Progress(
        state=state,
        sentence=sentence(run, state, done, files),
        steps=steps(state),
        done=done,
        total=len(files),
        final=final,
        version=f"{state}-{done}-{len(files)}",
    )


def sentence(run: Run, state: str, done: int, files: Sequence[RunFile]) -> str:
    total = len(files)
    if state == "received":
        return "Received. Your upload is stored and waiting to be checked."
    if state == "checking":
        return f"Checking: {done} of {total} files." if total else "Checking: unpacking the archive."
    if state == "scoring":
        return f"Scoring: {done} of {total} files done."
    if state == "refused":
        return "Refused: the archive cannot be used. See the reason below. No files were scored."
    if state == "failed":
        by_scorer = run.failure.get("kind") == ScorerFailure.__name__
        return SCORER_FAILED if by_scorer else APOLOGY
    bad = sum(file.state in (RunFile.State.INVALID, RunFile.State.MISSING) for file in files)
    if state == "checked":
        return f"Checked: {total - bad} of {total} files are valid."
    return f"Scored: {total - bad} of {total} files." + (
        f" {bad} {'is' if bad == 1 else 'are'} missing or invalid; see below." if bad else ""
    )


def steps(state: str) -> tuple[Step, ...]:
    names = OTHER_STEPS.get(state, STEPS)
    current = names.index(state)
    # The last step involves no waiting: once it is reached, it is done.
    done = current + 1 if current == len(names) - 1 else current
    return tuple(
        Step(name=name, status="done" if index < done else "current" if index == current else "ahead")
        for index, name in enumerate(names)
    )

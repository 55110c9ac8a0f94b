"""What an edit changes at once for others, in sentences that the organiser confirms.

In: the task before and after the edit, and the present time. Out: sentences; none for an edit that shows or
hides nothing and asks nothing of teams. What becomes visible later is no surprise: it can be changed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sharedtask.competition.models import Phase, Task
from sharedtask.folders.disclosure import moments, parts
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.read import TaskFolder

Visible = dict[str, list[str]]
"""Codes of test sets by what is visible of them: name, sample, inputs, gold."""


def effects(before: TaskFolder | None, after: TaskFolder, task: Task, *, at: datetime) -> list[str]:
    """`before` is None if the task as it is stored would not pass the checks of an import."""
    return [
        *effects_on_test_sets(before, after, at=at),
        *effects_on_phases(before, after, at=at),
        *effects_on_teams(after, task),
    ]


def effects_on_test_sets(before: TaskFolder | None, after: TaskFolder, *, at: datetime) -> Iterator[str]:
    old = visible(before, at=at) if before is not None else {}
    new = visible(after, at=at)
    if revealed := parts(difference(new, old)):
        yield f"Everyone can see {' and '.join(revealed)} at once."
    if hidden := parts(difference(old, new)):
        yield (
            f"Everyone can see {' and '.join(hidden)} now. The site would hide this again, "
            "but people may already have seen it."
        )


def visible(folder: TaskFolder, *, at: datetime) -> Visible:
    codes: Visible = {}
    for test_set in folder.test_sets:
        for what, moment in moments(test_set):
            if moment is None or moment <= at:
                codes.setdefault(what, []).append(test_set.code)
    return codes


def difference(visible: Visible, other: Visible) -> Visible:
    """What is in the first and not in the other."""
    missing = {
        what: [code for code in codes if code not in other.get(what, [])] for what, codes in visible.items()
    }
    return {what: codes for what, codes in missing.items() if codes}


def effects_on_phases(before: TaskFolder | None, after: TaskFolder, *, at: datetime) -> Iterator[str]:
    old = {phase["code"]: phase for phase in before.phases} if before is not None else {}
    for phase in after.phases:
        if phase["opens_at"] > at:
            continue
        if phase["code"] not in old:
            if phase["closes_at"] is None or phase["closes_at"] > at:
                yield f"{phase['title']} is open for uploads at once."
        elif phase["feedback"] != old[phase["code"]]["feedback"]:
            yield effect_of_feedback(phase)


def effect_of_feedback(phase: YamlEntry) -> str:
    if phase["feedback"] == Phase.Feedback.SCORES:
        return f"The scores of all runs in {phase['title']} are visible at once."
    return f"The scores of runs in {phase['title']} are visible now. The site would hide them again."


def effects_on_teams(after: TaskFolder, task: Task) -> Iterator[str]:
    version = after.task["rules_version"]
    if version == task.rules_version:
        return
    number = task.teams.filter(is_baseline=False, rules_version__gte=1).count()
    if number:
        teams = "1 team has" if number == 1 else f"{number} teams have"
        yield (
            f"{teams} accepted the rules. The new text is version {version}, and each team has to accept it "
            "before its next upload in a blind phase."
        )

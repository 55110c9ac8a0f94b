"""What an import makes visible, and when: the names, inputs and gold of test sets.

In: a `TaskFolder` and the present time. Out: one sentence per moment, in order, for the plan that organisers
approve. The visibility table decides; these are the times that the folder sets for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sharedtask.folders.read import FolderTestSet, TaskFolder

NOW = "At once"
ON_RELEASE = "When an organiser releases it on the page Gold"


def disclosures(folder: TaskFolder, *, at: datetime, now: str = NOW) -> list[str]:
    timed: dict[datetime | None, dict[str, list[str]]] = {}
    sealed = []
    for test_set in folder.test_sets:
        for what, moment in moments(test_set):
            key = moment if moment is not None and moment > at else None
            timed.setdefault(key, {}).setdefault(what, []).append(test_set.code)
        if test_set.gold and not test_set.gold[-1].public:
            sealed.append(test_set.code)
    lines = [f"{now}: the task with its texts and its phases{also(timed.pop(None, {}))}."]
    for moment in sorted(moment for moment in timed if moment is not None):
        lines.append(f"{moment:%Y-%m-%d %H:%M:%S} UTC: {' and '.join(parts(timed[moment]))}.")
    if sealed:
        lines.append(f"{ON_RELEASE}: the gold of {', '.join(sealed)}.")
    return lines


def moments(test_set: FolderTestSet) -> Iterator[tuple[str, datetime | None]]:
    """What becomes visible of a test set, and when; None: at once."""
    revealed = test_set.entry["revealed_at"]
    yield "name", revealed
    if any(file.sample and not file.is_training_data for file in test_set.inputs):
        yield "sample", revealed
    if any(file.is_training_data for file in test_set.inputs):
        yield "training data", revealed
    if any(not file.sample for file in test_set.inputs):
        yield "inputs", test_set.released_at
    if test_set.gold and test_set.gold[-1].public:
        yield "gold", revealed


def parts(codes: dict[str, list[str]]) -> list[str]:
    return [f"the {plural(what, len(names))} of {', '.join(names)}" for what, names in codes.items()]


def plural(what: str, number: int) -> str:
    return f"{what}s" if what in ("name", "sample") and number > 1 else what


def also(codes: dict[str, list[str]]) -> str:
    return "".join(f"; {part}" for part in parts(codes))

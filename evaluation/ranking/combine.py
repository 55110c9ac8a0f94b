"""Combine several runs of a team into one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .results import Outcome


def combine(runs: Sequence[tuple[str, Mapping[str, Outcome]]]) -> dict[str, Outcome]:
    """The first valid file of each test set counts, in the order of the runs; each outcome names its run.

    If no run has a valid file, the first invalid one is kept, so that the team learns what was wrong.

    >>> broken, good = Outcome(status="invalid"), Outcome(status="valid", stored=b"...")
    >>> combined = combine([("first", {"he": broken}), ("second", {"he": good, "kk": broken})])
    >>> [(code, outcome.status, outcome.run) for code, outcome in combined.items()]
    [('he', 'valid', 'second'), ('kk', 'invalid', 'second')]
    """
    combined: dict[str, Outcome] = {}
    for run, outcomes in runs:
        for code, outcome in outcomes.items():
            better = code not in combined or combined[code].status != "valid"
            if outcome.status == "valid" and better:
                combined[code] = outcome.with_run(run)
            elif outcome.status == "invalid":
                combined.setdefault(code, outcome.with_run(run))
    return combined

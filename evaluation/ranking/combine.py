"""Put a team's result together from several of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .results import Outcome


def combine(runs: Sequence[tuple[str, Mapping[str, Outcome]]]) -> dict[str, Outcome]:
    """The first valid file of each test set counts, in the order of the runs; each file names its run.

    Where no run has a valid file the first invalid one stands, so that the team learns what was wrong.

    >>> broken, good = Outcome(status="invalid"), Outcome(status="valid", stored=b"...")
    >>> made = combine([("first", {"he": broken}), ("second", {"he": good, "kk": broken})])
    >>> [(code, outcome.status, outcome.run) for code, outcome in made.items()]
    [('he', 'valid', 'second'), ('kk', 'invalid', 'second')]
    """
    chosen: dict[str, Outcome] = {}
    for run, outcomes in runs:
        for code, outcome in outcomes.items():
            better = code not in chosen or chosen[code].status != "valid"
            if outcome.status == "valid" and better:
                chosen[code] = outcome.from_run(run)
            elif outcome.status == "invalid":
                chosen.setdefault(code, outcome.from_run(run))
    return chosen

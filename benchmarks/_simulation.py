"""Coverage of intervals, false lines and power by simulation; `make simulation` (some minutes).

Its figures stand in docs/metrics.md. Samples are drawn from a population with a known F1, so that it can be
counted how often a statement about it is wrong. A smaller form of it is part of the tests.
"""

from __future__ import annotations

import sys
from math import sqrt
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.evaluation.simulated_fields import Population, coverage, significant  # noqa: E402

COPIES, FIELDS, REPLICATES = 50, 20, 1000


def main() -> None:
    print("95% intervals: how often they cover the F1 of the population")
    for title, population in {
        "20 sentences": Population(documents=20),
        "50 sentences": Population(documents=50),
        "200 sentences": Population(documents=200),
        "1,000 sentences": Population(documents=1000),
        "average of 20 sets of 30 sentences": Population(sets=20, documents=30),
        "average of 80 sets of 500 sentences": Population(sets=80, documents=500),
    }.items():
        copies, fields = (COPIES, FIELDS) if population.sets * population.documents < 10_000 else (25, 8)
        report(title, coverage(population, by_document=True, **sizes(copies, fields)), copies * fields)
    for documents in (20, 50, 200):
        population = Population(documents=documents, sentences=15)
        for unit in ("sentence", "document"):
            share = coverage(population, by_document=unit == "document", **sizes(COPIES, FIELDS))
            report(f"{documents} documents of 15 sentences, by {unit}", share, COPIES * FIELDS)
    print("two systems: how often a line separates them")
    for points in (0.0, 0.5, 1.0, 2.0, 3.0):
        found = significant(Population(documents=200), advantage=points / 100, **sizes(COPIES, FIELDS))
        for sides, share in found.items():
            report(f"200 sentences, {points:.1f} points apart, {sides}", share, COPIES * FIELDS)


def sizes(copies: int, fields: int) -> dict[str, int]:
    return {"copies": copies, "fields": fields, "replicates": REPLICATES}


def report(title: str, share: float, trials: int) -> None:
    error = 100 * sqrt(share * (1 - share) / trials)
    print(f"  {title:<52} {100 * share:5.1f}% (± {error:.1f}, {trials:,} samples)", flush=True)


if __name__ == "__main__":
    main()

"""Speed of standings by metrics of contingency tables, compared with the obvious loop.

Run with `make bench`. The loop adds up the tables of the drawn sentences and computes the figures of every
replicate; it is measured on some of the replicates, and both sides by the time that the processor gave them.
"""

from __future__ import annotations

import sys
import time
from math import log2
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluation.ranking.bootstrap import resample  # noqa: E402
from evaluation.ranking.philox import multiplicities  # noqa: E402
from evaluation.ranking.results import GoldSet, Outcome, Results  # noqa: E402
from evaluation.scoring.counts import Counts  # noqa: E402
from evaluation.scoring.table import Table  # noqa: E402

SYSTEMS, SETS, REPLICATES = 12, 10, 1000
SENTENCES, WORDS, CLASSES, TAGS = 400, 15, 40, 12
MEASURED = 3
METRICS = ("M-1", "1-1", "VM", "VI")


def main() -> None:
    results = campaign()
    start = time.process_time()
    resample(results, metrics=METRICS, replicates=REPLICATES, seed=1, policy="exclude")
    ours = time.process_time() - start
    theirs = sum(loop(results, code, name) for code in results.codes for name in results.systems)
    theirs *= REPLICATES / MEASURED
    what = f"{SYSTEMS} systems × {SETS} sets × {REPLICATES:,} replicates, {', '.join(METRICS)}"
    print(f"{what:<64} {ours:8.1f} s, loop {theirs:8.0f} s: {theirs / ours:5.0f} ×   target: 50 ×")


def campaign() -> Results:
    source = np.random.default_rng(1)
    systems: dict[str, dict[str, Outcome]] = {f"S{n}": {} for n in range(SYSTEMS)}
    for number in range(SETS):
        unit = np.repeat(np.arange(SENTENCES), WORDS)
        tag = source.integers(0, TAGS, len(unit))
        for outcomes in systems.values():
            guess = (3 * tag + source.integers(0, 3, len(unit))) % CLASSES
            induced = np.where(source.random(len(unit)) < 0.6, guess, source.integers(0, CLASSES, len(unit)))
            table = Table.from_items(
                [f"c{n}" for n in range(CLASSES)],
                [f"t{n}" for n in range(TAGS)],
                SENTENCES,
                unit=unit,
                row=induced,
                column=tag,
            )
            counts = Counts((), np.zeros((SENTENCES, 0, 4), dtype=np.int32), {"universal": table})
            outcomes[f"set{number}"] = Outcome.from_counts(counts)
    sets = tuple(GoldSet(code=f"set{n}") for n in range(SETS))
    return Results(profile="pascal12", sets=sets, systems=systems)


def loop(results: Results, code: str, name: str) -> float:
    """Seconds for some of the replicates of one system on one test set."""
    table = results.outcome(name, code).counts.tables["universal"]
    sentences: list[list[tuple[int, int, int]]] = [[] for _ in range(table.units)]
    columns = (table.unit.tolist(), table.row.tolist(), table.column.tolist(), table.count.tolist())
    for unit, row, column, count in zip(*columns, strict=True):
        sentences[unit].append((row, column, count))
    drawn = multiplicities(1, code, table.units, 0, MEASURED)
    start = time.process_time()
    for multiplicity in drawn.astype(int).tolist():
        cells: dict[tuple[int, int], int] = {}
        for times, sentence in zip(multiplicity, sentences, strict=True):
            for row, column, count in sentence if times else ():
                cells[row, column] = cells.get((row, column), 0) + times * count
        figures(cells)
    return time.process_time() - start


def figures(cells: dict[tuple[int, int], int]) -> tuple[float, float, float, float]:
    size = sum(cells.values())
    best: dict[int, int] = {}
    classes: dict[int, int] = {}
    tags: dict[int, int] = {}
    for (row, column), count in cells.items():
        best[row] = max(best.get(row, 0), count)
        classes[row] = classes.get(row, 0) + count
        tags[column] = tags.get(column, 0) + count
    used_rows, used_columns, paired = set(), set(), 0
    for (row, column), count in sorted(cells.items(), key=lambda cell: (-cell[1], cell[0])):
        if row not in used_rows and column not in used_columns:
            used_rows.add(row)
            used_columns.add(column)
            paired += count
    of_classes, of_tags, joint = (
        -sum(n / size * log2(n / size) for n in counts.values()) for counts in (classes, tags, cells)
    )
    homogeneity, completeness = 1 - (joint - of_classes) / of_tags, 1 - (joint - of_tags) / of_classes
    vm = 2 * homogeneity * completeness / (homogeneity + completeness)
    return sum(best.values()) / size, paired / size, vm, 2 * joint - of_classes - of_tags


if __name__ == "__main__":
    main()

"""Standings of growing fields, compared with the code before: time and memory, both in one run.

Run with `make bench`, or with a size: `python benchmarks/growth.py 100 150 1000`, and `fast` to leave out the
slow side. Counts are made up; half of the systems have the segmentation of the baseline, as in real fields.
Every side runs in a process of its own with one thread, so that its memory and processor time can be
measured. *One new run* begins with the sums, intervals and pairs of the other systems, as workers keep
them; encryption and storage are not part of it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluation.ranking.details import build_details  # noqa: E402
from evaluation.ranking.pairs import Pairs  # noqa: E402
from evaluation.ranking.places import Places  # noqa: E402
from evaluation.ranking.results import EVERYTHING, GoldSet, Outcome, Results  # noqa: E402
from evaluation.ranking.set_sums import SetSums, make_set_sums  # noqa: E402
from evaluation.ranking.single_set import set_figures  # noqa: E402
from evaluation.ranking.standings import Rules, compute_standings  # noqa: E402
from evaluation.ranking.sums_store import SumsStore  # noqa: E402
from evaluation.scoring.counts import Counts  # noqa: E402
from evaluation.scoring.profiles import PROFILES  # noqa: E402
from tests.evaluation.slow_ranking import compute_slowly  # noqa: E402

PROFILE = "conll18"
SIZES = ((20, 8, 1000), (60, 6, 1000), (20, 4, 10_000))
"""Systems, test sets, replicates: small enough for the slow side."""
SETS_PER_LANGUAGE, LEAST_UNITS, MOST_UNITS = 2, 150, 900


def main() -> None:
    given = [int(word) for word in sys.argv[1:4]]
    sides = ("fast",) if sys.argv[4:] == ["fast"] else ("slow", "fast")
    for systems, sets, replicates in [given] if given else SIZES:
        measured = {side: measure(side, systems, sets, replicates) for side in sides}
        seconds, megabytes = measured["fast"]
        line = f"{systems} systems × {sets} sets × {replicates:,} replicates, all metrics: {seconds:.1f} s, "
        line += f"+{megabytes:.0f} MB"
        if "slow" in measured:
            before, memory = measured["slow"]
            line += f"; before {before:.1f} s, +{memory:.0f} MB: {before / seconds:.1f} ×   target: 5 ×"
        print(line, flush=True)
        seconds, _ = measure("new", systems, sets, replicates)
        line = f"  one new run: {seconds:.1f} s"
        if "slow" in measured:
            line += f": {measured['slow'][0] / seconds:.1f} ×   target: 30 × in a field of 100 × 150"
        print(line, flush=True)


def measure(side: str, systems: int, sets: int, replicates: int) -> tuple[float, float]:
    """Seconds of processor time, and megabytes above the interpreter with the field in memory."""
    words = [sys.executable, __file__, "--side", side, str(systems), str(sets), str(replicates)]
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    measured = subprocess.run(words, check=True, capture_output=True, text=True, env=one_thread)
    seconds, megabytes = measured.stdout.split()
    return float(seconds), float(megabytes)


def compute(side: str, systems: int, sets: int, replicates: int) -> None:
    results = field(systems, sets)
    rules = Rules(replicates=replicates)
    if side == "new":
        print(add_run(results, rules), 0)
        return
    before, begun = peak(), time.process_time()
    if side == "fast":
        standings = compute_standings(results, rules, compared=results.main)
        build_details(standings, results.main, keep=lambda column, pairs: pairs.to_bytes())
    else:
        compute_slowly(results, rules, results.main, in_print=False)
    print(time.process_time() - begun, peak() - before)


def add_run(results: Results, rules: Rules) -> float:
    """The seconds of a standing in which the files of all systems but one are known."""
    main, new = results.main, next(iter(results.systems))
    others = [name for name in results.systems if name != new]
    options = {"replicates": rules.replicates, "seed": rules.seed}
    sums, places, pairs = {}, {}, {}
    for code in results.codes:
        field = results.subset(systems=others, codes=[code])
        made = make_set_sums(field, code, results.metrics, **options)
        assert made is not None
        sums[code], store = made.to_bytes(), SumsStore()
        store.write(code, made)
        earlier = set_figures(field, rules, code, main, store)
        places[code], pairs[code] = earlier.places.to_bytes(), earlier.pairs.to_bytes()
    known = {name: dict.fromkeys(results.codes, Outcome(status="valid")) for name in others}
    field = Results(profile=PROFILE, sets=results.sets, systems=known | {new: results.systems[new]})
    begun, whole, figures = time.process_time(), SumsStore(), {}
    for code in field.codes:
        made = make_set_sums(field.subset(systems=[new], codes=[code]), code, field.metrics, **options)
        assert made is not None
        joined = SetSums.from_bytes(sums[code]).joined(made)
        intervals = Places.from_bytes(places[code]).intervals_of(others, field.metrics)
        store = SumsStore({EVERYTHING: intervals})
        store.write(code, joined)
        whole.write(code, joined)
        field.remember(code, joined.units, joined.plain())
        figures[code] = set_figures(field, rules, code, main, store, Pairs.from_bytes(pairs[code]))
        joined.to_bytes()
    standings = compute_standings(field, rules, compared=main, store=whole)
    build_details(standings, main, keep=lambda column, kept: kept.to_bytes(), compute_set=figures.__getitem__)
    return time.process_time() - begun


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def codes_of(sets: int) -> list[str]:
    return [f"l{number // SETS_PER_LANGUAGE:03}_{number}" for number in range(sets)]


def field(systems: int, sets: int) -> Results:
    source, metrics = np.random.default_rng(1), PROFILES[PROFILE].metrics
    outcomes: dict[str, dict[str, Outcome]] = {f"S{number:03}": {} for number in range(systems)}
    gold_sets = []
    for number, code in enumerate(codes_of(sets)):
        gold_sets.append(GoldSet(code=code, groups=("big",) if number % 2 else ("small", "pud")))
        units = int(source.integers(LEAST_UNITS, MOST_UNITS))
        gold = source.integers(3, 40, units)[:, None]
        for place, files in enumerate(outcomes.values()):
            share = 0.4 + 0.4 * place / systems + 0.015 * np.arange(len(metrics))
            correct = source.binomial(gold, share[None, :])
            segmented = gold if place % 2 else gold + source.integers(-1, 2, units)[:, None]
            values = np.stack(
                [np.broadcast_to(gold, correct.shape), np.maximum(segmented, correct), correct, correct],
                axis=2,
            )
            files[code] = Outcome.from_counts(Counts(tuple(metrics), values.astype(np.int32)))
    return Results(profile=PROFILE, sets=tuple(gold_sets), systems=outcomes)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        compute(sys.argv[2], *(int(word) for word in sys.argv[3:6]))
    else:
        main()

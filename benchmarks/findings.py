"""Speed of computing standings: ratios to the naive implementation in the same run, and seconds.

Run with `make bench`. Matrix products use one thread, so that the figures are for one core.
"""

from __future__ import annotations

import os

# numpy reads these when it is first imported.
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import resource
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluation.ranking.bootstrap import resample  # noqa: E402
from evaluation.ranking.campaign import Settings, score_campaign  # noqa: E402
from evaluation.ranking.folders import Folders, find_files  # noqa: E402
from evaluation.ranking.results import GoldSet, Outcome, Results  # noqa: E402
from evaluation.scoring.compare import Options  # noqa: E402
from evaluation.scoring.counts import Counts  # noqa: E402

DATA = ROOT.parent / "shared" / "data" / "conll17"
SETTINGS = Settings(profile="conll17", options=Options(), unit="sentence")
SETS, SYSTEMS = 81, 33


def main() -> None:
    large = generated()
    for replicates in (1000, 20_000):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = timed(partial(resample, large, metrics=["LAS"], replicates=replicates, seed=1))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"LAS, {replicates:,} replicates: {seconds:.2f} s, {grown:.0f} MB additional peak memory")
    growth(large)
    if not DATA.is_dir():
        print("NOT MEASURED with real outputs: ../shared/data is not next to this checkout.")
        return
    with tempfile.TemporaryDirectory() as folder:
        real = unpacked(Path(folder))
        results = score_campaign(real, SETTINGS, jobs=2)
        against_the_obvious(results)
        every_metric(results)
        scoring(real, Path(folder))


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def generated() -> Results:
    """Counts of the size of CoNLL 2017: 81 test sets of 170 to 10,000 sentences, 33 systems, LAS alone."""
    source = np.random.default_rng(2017)
    sizes = np.clip(source.lognormal(6.7, 0.75, SETS).astype(int), 170, 10_000)
    sizes[0] = 10_000
    gold = {f"set{number:02}": source.integers(1, 45, size) for number, size in enumerate(sizes)}
    systems = {}
    for number in range(SYSTEMS):
        outcomes = {}
        for code, words in gold.items():
            correct = source.binomial(words, 0.5 + 0.01 * number)
            system = np.maximum(correct, words + source.integers(-1, 2, len(words)))
            values = np.stack([words, system, correct, correct], axis=1)[:, None, :].astype(np.int32)
            outcomes[code] = Outcome.from_counts(Counts(("LAS",), values))
        systems[f"system{number:02}"] = outcomes
    print(f"Generated: {SETS} test sets, {sizes.sum():,} sentences, {SYSTEMS} systems.")
    groups = ("big", "small", "parallel", "surprise")
    sets = tuple(GoldSet(code=code, groups=(groups[n % 4],)) for n, code in enumerate(gold))
    return Results(profile="conll17", sets=sets, systems=systems)


def growth(large: Results) -> None:
    """Twice the replicates and twice the systems should take about twice as long, or less."""

    def seconds(systems: int, replicates: int) -> float:
        part = large.subset(systems=list(large.systems)[:systems])
        return min(
            timed(lambda: resample(part, metrics=["LAS"], replicates=replicates, seed=1)) for _ in range(2)
        )

    once = seconds(16, 1000)
    print(f"Twice the replicates: {seconds(16, 2000) / once:.2f} times the time")
    print(f"Twice the systems: {seconds(32, 1000) / once:.2f} times the time")


def unpacked(folder: Path) -> Folders:
    """The real outputs as the folders of a campaign."""
    gold, systems = folder / "gold", folder / "systems"
    gold.mkdir()
    for archive in sorted(DATA.glob("*.tar.xz")):
        with tarfile.open(archive) as packed:
            packed.extractall(folder / "unpacked", filter="data")
    for treebank in sorted((folder / "unpacked").iterdir()):
        (gold / f"{treebank.name}.conllu").symlink_to(treebank / "gold.conllu")
        for file in (treebank / "system").iterdir():
            (systems / file.stem).mkdir(parents=True, exist_ok=True)
            (systems / file.stem / f"{treebank.name}.conllu").symlink_to(file)
    return find_files(gold, systems)


def against_the_obvious(results: Results) -> None:
    """All pairs, 1,000 replicates of LAS: ours, and pair by pair, extrapolated from a few."""
    fast = min(timed(lambda: resample(results, metrics=["LAS"], replicates=1000, seed=1)) for _ in range(3))
    las = {
        name: {
            code: outcome.counts.values[:, outcome.counts.metrics.index("LAS"), :3]
            for code, outcome in outcomes.items()
            if outcome.status == "valid"
        }
        for name, outcomes in results.systems.items()
    }
    pairs = list(combinations(las, 2))
    sizes = {code: len(counts) for outcomes in las.values() for code, counts in outcomes.items()}
    source = np.random.default_rng(1)

    def one_replicate(a: str, b: str) -> float:
        difference = 0.0
        for code, size in sizes.items():
            drawn = source.integers(0, size, size)
            for sign, name in ((1, a), (-1, b)):
                if code in las[name]:
                    gold, system, correct = las[name][code][drawn].sum(axis=0)
                    difference += sign * 2 * correct / (gold + system)
        return difference / len(sizes)

    sampled = pairs[:: len(pairs) // 60]
    slow = timed(lambda: [one_replicate(a, b) for a, b in sampled]) / len(sampled) * len(pairs) * 1000
    print(
        f"Real: {len(sizes)} sets, {len(las)} systems, {len(pairs)} pairs, 1,000 replicates of LAS: "
        f"{fast:.2f} s; each pair by itself {slow:.0f} s; {slow / fast:.0f} times as fast"
    )


def every_metric(results: Results) -> None:
    names = results.metrics
    seconds = timed(lambda: resample(results, metrics=names, replicates=1000, seed=1))
    print(f"The same for all {len(names)} metrics: {seconds:.2f} s")


def scoring(real: Folders, folder: Path) -> None:
    """2,673 files of real size: the real ones, under the names of 81 test sets and 33 systems."""
    codes = sorted(real.gold)
    gold = {f"{codes[n % len(codes)]}_{n}": real.gold[codes[n % len(codes)]] for n in range(SETS)}
    systems = {}
    for number, name in enumerate(sorted(real.systems)):
        # If a team has no file, the file of another team is used.
        files = {}
        for code in gold:
            treebank = code.rsplit("_", 1)[0]
            delivered = [outputs[treebank] for outputs in real.systems.values() if treebank in outputs]
            files[code] = real.systems[name].get(treebank, delivered[number % len(delivered)])
        systems[name] = files
    campaign = Folders(gold, systems, ())
    settings = Settings(profile="conll17", options=Options(), unit="sentence", cache=folder / "cache")
    count = sum(map(len, systems.values()))
    size = sum(path.stat().st_size for files in systems.values() for path in files.values()) / 1e6
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = timed(lambda: score_campaign(campaign, SETTINGS, jobs=2))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"Scoring {count:,} files, {size:,.0f} MB, with 2 jobs: {seconds:.1f} s ({busy:.1f} s of processor)"
    )
    score_campaign(campaign, settings, jobs=2)
    seconds = timed(lambda: score_campaign(campaign, settings, jobs=2))
    print(f"The same from the cache: {seconds:.1f} s")


if __name__ == "__main__":
    main()

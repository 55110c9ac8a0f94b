"""What error classes cost in addition to the breakdowns of the same comparison.

Run with `make bench`. Both are measured in turns by processor time, on the real outputs of several teams; the
comparison is new for each measurement, as it is when a file is scored.
"""

from __future__ import annotations

import gc
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import evaluation  # noqa: E402
from evaluation.errors.count import find_errors  # noqa: E402
from evaluation.errors.parse import built_in  # noqa: E402
from evaluation.scoring.breakdown import break_down  # noqa: E402
from evaluation.scoring.compare import Comparison  # noqa: E402

DATA = ROOT.parent / "shared" / "data" / "conll17"
TEAMS = ("Stanford", "IMS", "Orange-Deskin")
ROUNDS = 5
TARGET = 15


def main() -> None:
    if not DATA.is_dir():
        print("NOT MEASURED: ../shared/data is not next to this checkout.")
        return
    breakdown = errors = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for archive in sorted(DATA.glob("*.tar.xz")):
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
            for team in TEAMS:
                pair = measure(Path(folder) / archive.name.removesuffix(".tar.xz"), team)
                breakdown, errors = breakdown + pair[0], errors + pair[1]
    share = 100 * errors / breakdown
    print(f"breakdowns {1000 * breakdown:.0f} ms, error classes {1000 * errors:.0f} ms: {share:.1f} % more")
    print(f"target: at most {TARGET} %")


def measure(treebank: Path, team: str) -> tuple[float, float]:
    """The shortest times of both, in seconds; zero if the team has no valid file."""
    file = treebank / "system" / f"{team}.conllu"
    if not file.exists():
        return 0.0, 0.0
    gold, system = evaluation.read(treebank / "gold.conllu"), evaluation.read(file)
    classes = built_in("universal")

    def seconds(work: Callable[[Comparison], object]) -> tuple[float, float]:
        compared = evaluation.compare(gold, system, "conll17")
        gc.collect()
        start = time.process_time()
        break_down(compared)
        between = time.process_time()
        work(compared)
        return between - start, time.process_time() - between

    def count(compared: Comparison) -> None:
        errors = find_errors(compared, classes)
        errors.total()
        errors.by_sentence()

    rounds = [seconds(count) for _ in range(ROUNDS)]
    return min(first for first, _ in rounds), min(second for _, second in rounds)


if __name__ == "__main__":
    main()

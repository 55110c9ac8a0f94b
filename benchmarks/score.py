"""Speed of scoring: ratios to `udtools`, which runs the published algorithm, and peak memory.

Run with `make bench`. Both sides are measured in the same run, in turns, by the time that the processor gave
them, so that a busy machine does not distort the ratios. Each line of output ends with its target.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from udtools import udeval  # noqa: E402

import evaluation  # noqa: E402

DATA = ROOT.parent / "shared" / "data" / "conll17"
TEAM = "Stanford"
CURVE = (100_000, 1_000_000, 10_000_000)
# Run in a separate process to measure time and peak memory, which is the last line of its output.
# (A child's ru_maxrss would begin with that of its parent.)
PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
OURS = "import sys, evaluation; evaluation.score(*sys.argv[1:3])"
THEIRS = (
    "import sys; from udtools import udeval; udeval.evaluate(*map(udeval.load_conllu_file, sys.argv[1:3]))"
)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if DATA.is_dir():
            sets = unpacked(folder)
            one_cold_pair(sets)
            all_teams(sets)
            one_shot(sets, folder)
        else:
            print("NOT MEASURED with real outputs: ../shared/data is not next to this checkout.")
        curve(folder)


def report(what: str, figure: str, target: str) -> None:
    print(f"{what:<64} {figure:>24}   {target}", flush=True)


def unpacked(folder: Path) -> list[Path]:
    for archive in sorted(DATA.glob("*.tar.xz")):
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    return sorted(path for path in folder.iterdir() if path.is_dir())


def processor_seconds(work: Callable[..., object], *arguments: object) -> float:
    gc.collect()
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def published(gold: Path, system: Path) -> None:
    udeval.evaluate(udeval.load_conllu_file(str(gold)), udeval.load_conllu_file(str(system)))


def one_cold_pair(sets: list[Path]) -> None:
    """Read, check, align and score both files, all metrics of conll18."""
    ratios = []
    for treebank in sets:
        pair = treebank / "gold.conllu", treebank / "system" / f"{TEAM}.conllu"
        theirs, ours = [], []
        for _ in range(3):
            theirs.append(processor_seconds(published, *pair))
            ours += [processor_seconds(evaluation.score, *pair) for _ in range(3)]
        ratios.append(min(theirs) / min(ours))
        words = evaluation.read(pair[0]).words
        figure = f"{1000 * min(ours):.1f} ms, {ratios[-1]:.1f} ×"
        report(f"one cold pair: {treebank.name}, {words:,} words", figure, "")
    report(f"one cold pair: median of {len(ratios)} sets", f"{median(ratios):.1f} ×", "target 30 ×")


def all_teams(sets: list[Path]) -> None:
    """Every set with every team, gold read once; two of the teams with the published evaluator as it is."""
    ours = words = theirs = their_words = 0.0
    for treebank in sets:
        systems = sorted((treebank / "system").iterdir())
        ours += processor_seconds(with_gold, treebank, systems)
        size = evaluation.read(treebank / "gold.conllu").words
        words += size * len(systems)
        for system in (systems[len(systems) // 3], systems[-1]):
            theirs += processor_seconds(published, treebank / "gold.conllu", system)
            their_words += size
    ratio = (theirs / their_words) / (ours / words)
    report(
        f"all {len(sets)} sets with all teams, {words:,.0f} words",
        f"{ours:.1f} s, {ratio:.1f} ×",
        "target 50 ×",
    )


def with_gold(treebank: Path, systems: list[Path]) -> None:
    gold = evaluation.read(treebank / "gold.conllu")
    for system in systems:
        try:
            evaluation.score(gold, system)
        except evaluation.InvalidFile:
            continue


def one_shot(sets: list[Path], folder: Path) -> None:
    """The command in a separate process."""
    start_up = min(in_process("-m", "evaluation", "score", "--help")[0] for _ in range(5))
    report("one shot: start-up", f"{start_up:.3f} s", "target 0.3 s")
    treebank = next(path for path in sets if path.name == "de_pud")
    pair = treebank / "gold.conllu", treebank / "system" / f"{TEAM}.conllu"
    for times, target in ((1, "target 4 ×"), (8, "target 15 ×")):
        files = []
        for path in pair:
            files.append(folder / f"{path.stem}-{times}.conllu")
            files[-1].write_bytes(path.read_bytes() * times)
        words = evaluation.read(files[0]).words
        ours = min(in_process("-m", "evaluation", "score", *files)[0] for _ in range(3))
        theirs = min(in_process("-c", THEIRS, *files)[0] for _ in range(2))
        report(f"one shot: {words:,} words", f"{ours:.2f} s, {theirs / ours:.1f} ×", target)
        our_peak, their_peak = (in_process("-c", f"{code}; {PEAK}", *files)[1] for code in (OURS, THEIRS))
        report(f"peak memory: {words:,} words", f"{our_peak} MB of {their_peak} MB", "target: less")


def in_process(*arguments: str | Path) -> tuple[float, int]:
    """Seconds that a run of Python takes, and the peak memory that it printed last, in megabytes.

    Here the clock counts, not the processor: numpy starts threads that nobody waits for. As anywhere else,
    modules that were compiled once are not compiled again.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, cwd=ROOT, env=environment, check=True
    )
    seconds = time.perf_counter() - start
    last = done.stdout.split()[-1:]
    return seconds, int(last[0]) // 1024 if last and last[0].isdigit() else 0


def curve(folder: Path) -> None:
    """Generated files of increasing size: the cost per word must be constant."""
    for words in CURVE:
        files = [folder / "gold-generated.conllu", folder / "system-generated.conllu"]
        for path, upos in zip(files, ("NOUN", "VERB"), strict=True):
            write(path, words, upos)
        seconds, peak = in_process("-c", f"{OURS}; {PEAK}", *files)
        figure = f"{seconds:.1f} s, {1e6 * seconds / words:.2f} µs a word"
        report(f"growth: {words:,} words", f"{figure}, {peak} MB", "target: linear")
    sentences = folder / "sentences.conllu"
    with sentences.open("wb") as file:
        for _ in range(100):
            file.write(b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * 100_000)
    seconds, peak = in_process("-c", f"{OURS}; {PEAK}", sentences, sentences)
    report("growth: 10,000,000 sentences of one word", f"{seconds:.1f} s, {peak} MB", "target: linear")


def write(path: Path, words: int, upos: str) -> None:
    """Sentences of twenty words, one range in each; the system tags every other word differently."""
    lines = ["# text = …"]
    for n in range(1, 21):
        if n == 5:
            lines.append("5-6\tzumden" + "\t_" * 8)
        tag = upos if n % 2 else "NOUN"
        lines.append(f"{n}\tform{n % 7}\tlemma{n % 7}\t{tag}\tNN\tCase=Nom|Number=Sing\t{n - 1}\tnmod\t_\t_")
    sentence = ("\n".join(lines) + "\n\n").encode()
    with path.open("wb") as file:
        for _ in range(words // 20_000):
            file.write(sentence * 1000)


if __name__ == "__main__":
    main()

"""Learning curves computed word by word from the text of the files, to compare the fast code with."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from statistics import mean

from scipy.integrate import simpson

Rows = list[tuple[int, str, int, str]]
"""ID, UPOS, head and relation of the words of a sentence."""


def sentences_of(path: Path) -> list[Rows]:
    sentences: list[Rows] = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if not line:
            sentences.append([])
        elif not line.startswith("#") and columns[0].isdigit():
            sentences[-1].append((int(columns[0]), columns[3], int(columns[6]), columns[7]))
    return [sentence for sentence in sentences if sentence]


def class_of(by: str, sentence: Rows, word: tuple[int, str, int, str]) -> str:
    number, tag, head, relation = word
    direction = "<" if 0 < head < number else ">"
    if by == "length":
        distance = abs(head - number)
        return "root" if not head else str(distance) if distance < 3 else "3–6" if distance < 7 else "7+"
    if by == "depth":
        depth = 1
        while head:
            depth, head = depth + 1, sentence[head - 1][2]
        return str(depth) if depth < 7 else "7+"
    return {
        "upos-direction": tag + direction,
        "upos": tag,
        "relation": relation.split(":")[0],
        "upos-direction-relation": tag + direction + relation.split(":")[0],
    }[by]


def tally(gold: Path, system: Path, by: str) -> dict[str, tuple[int, int]]:
    """Words and right heads of every class."""
    tallies: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for ours, theirs in zip(sentences_of(gold), sentences_of(system), strict=True):
        for word, other in zip(ours, theirs, strict=True):
            if word[1] != "PUNCT":
                of_class = tallies[class_of(by, ours, word)]
                of_class[0] += 1
                of_class[1] += word[2] == other[2]
    return {name: (words, right) for name, (words, right) in tallies.items()}


def uas(tallies: dict[str, tuple[int, int]], classes: set[str] | None = None) -> float:
    chosen = [value for name, value in tallies.items() if classes is None or name in classes]
    return 100 * sum(right for _, right in chosen) / sum(words for words, _ in chosen)


def curves(folder: Path, by: str) -> tuple[list[int], dict[str, list[float]], list[float]]:
    """Sizes, UAS by class, and UAS of all words, each averaged over the samples of a size."""
    files: dict[int, list[Path]] = defaultdict(list)
    for path in folder.glob("*-*.conllu"):
        files[int(path.name.split("-")[0])].append(path)
    sizes = sorted(files)
    tallies = {size: [tally(folder / "gold.conllu", path, by) for path in files[size]] for size in sizes}
    names = tallies[sizes[0]][0]
    by_class = {
        name: [mean(uas(tallied, {name}) for tallied in tallies[size]) for size in sizes] for name in names
    }
    return sizes, by_class, [mean(map(uas, tallies[size])) for size in sizes]


def complexity(sizes: list[int], whole: list[float], curve: list[float]) -> float | None:
    if not curve[-1]:
        return None
    gaps = [100 * a / whole[-1] - 100 * c / curve[-1] for a, c in zip(whole, curve, strict=True)]
    return float(simpson(gaps, x=[math.log(size) for size in sizes]))

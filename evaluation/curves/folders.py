"""Find the files of a series: `gold.conllu`, `<size>-<sample>.conllu`, and systems to be placed on its curve.

Every other `*.conllu` but `train.conllu` is a system. Files may be compressed (.gz, .xz, .bz2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..ranking.folders import ENDINGS
from ..reading.source import printable

GOLD, TRAINING = "gold", "train"
LEAST_SIZES = 3

_SAMPLE = re.compile(r"([0-9]{1,12})-([0-9]{1,12})")


class BadSeries(Exception):
    """The files are not a series of growing samples; the message says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class SeriesFiles:
    """The files of one test set: `samples[size][sample]` and `systems[name]`, sizes growing."""

    name: str
    gold: Path
    samples: Mapping[int, Mapping[int, Path]]
    systems: Mapping[str, Path]


def find_series(folder: Path) -> SeriesFiles:
    """The series in a folder, named after the folder."""
    files = _files(folder)
    if GOLD not in files:
        raise BadSeries(f"{_path_text(folder)}: there is no {GOLD}.conllu")
    samples: dict[int, dict[int, Path]] = {}
    systems: dict[str, Path] = {}
    for name, path in files.items():
        match = _SAMPLE.fullmatch(name)
        if match:
            of_size = samples.setdefault(int(match[1]), {})
            if int(match[2]) in of_size:
                raise BadSeries(
                    f"{_path_text(path)} and {of_size[int(match[2])].name} are the same sample; remove one"
                )
            of_size[int(match[2])] = path
        elif name not in (GOLD, TRAINING):
            systems[name] = path
    ordered = {size: dict(sorted(samples[size].items())) for size in sorted(samples)}
    try:
        check_sizes(list(ordered))
    except BadSeries as error:
        raise BadSeries(f"{_path_text(folder)}: {error}") from None
    return SeriesFiles(printable(folder.resolve().name), files[GOLD], ordered, systems)


def check_sizes(sizes: Sequence[int]) -> None:
    """Raise BadSeries unless there are at least three sizes, each larger than the one before it."""
    listed = ", ".join(map(str, sizes)) or "none"
    if len(sizes) < LEAST_SIZES:
        raise BadSeries(
            f"a curve needs outputs for at least {LEAST_SIZES} sizes of training data, found {listed}"
        )
    if sizes[0] < 1:
        raise BadSeries(f"a training sample has at least one sentence, but the sizes are {listed}")
    for smaller, larger in pairwise(sizes):
        if larger <= smaller:
            raise BadSeries(f"sizes must increase, but {larger} follows {smaller} ({listed})")


def describe_missing_samples(samples: Mapping[int, Mapping[int, object]]) -> list[str]:
    """One note per size that lacks a sample which another size has."""
    every = sorted({sample for of_size in samples.values() for sample in of_size})
    most = max(map(len, samples.values()))
    notes = []
    for size, of_size in samples.items():
        missing = [f"{size}-{sample}" for sample in every if sample not in of_size]
        if missing:
            number = f"{len(of_size)} sample{'' if len(of_size) == 1 else 's'}"
            more = f", elsewhere of up to {most}" if len(of_size) < most else ""
            notes.append(
                f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing: "
                f"the score at {size} sentences is the average of {number}{more}."
            )
    return notes


def _files(folder: Path) -> dict[str, Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise BadSeries(f"{_path_text(folder)}: {error.strerror}; give a folder with a series") from error
    files: dict[str, Path] = {}
    for path in entries:
        ending = next((ending for ending in ENDINGS if path.name.endswith(ending)), None)
        if ending is None or path.name.startswith("."):
            continue
        name = printable(path.name.removesuffix(ending))
        if name in files:
            raise BadSeries(
                f"{_path_text(folder)}: {files[name].name} and {path.name} are both {name}; remove one"
            )
        files[name] = path
    return files


def _path_text(path: Path) -> str:
    return printable(str(path))

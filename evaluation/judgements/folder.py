"""A folder of judgements: gold, the outputs of two systems, and who preferred which.

`gold.conll`, two other `*.conll` files named after their systems, and `judgements.tsv`. The files may also
be CoNLL-U (`.conllu`). The first system in alphabetical order is the first of the comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..scoring.compare import Comparison
from ..scoring.options import Options
from ..scoring.profiles import PROFILES
from ..scoring.score import compare
from .analyse import SEED, Analysis, analyse
from .measures import CONTENT, FUNCTION, Measures, measure
from .table import EQUAL, BadJudgements, read_judgements

PROFILE = "plank15"
JUDGEMENTS = "judgements.tsv"
GOLD = "gold"
_EXTENSIONS = (".conll", ".conllu")


@dataclass(frozen=True, kw_only=True)
class FolderAnalysis:
    systems: tuple[str, str]
    sentences: int
    measures: Measures
    analysis: Analysis


def analyse_folder(
    folder: Path,
    *,
    verbs: Sequence[str] = (),
    content: Sequence[str] = CONTENT,
    function: Sequence[str] = FUNCTION,
    seed: int = SEED,
) -> FolderAnalysis:
    """Raises BadJudgements or InvalidFile with what is wrong, and where."""
    gold, first, second = find_files(folder)
    systems = (first.stem, second.stem)
    usual = PROFILES[PROFILE].options
    options = replace(usual, verbs=tuple(verbs)) if verbs else usual
    comparisons = [_compare(gold, path, options) for path in (first, second)]
    measures = measure(comparisons[0], comparisons[1], content=content, function=function)
    sentences = len(measures.lengths)
    table = read_judgements(folder / JUDGEMENTS, systems, sentences)
    rows = np.array(table.items) - 1
    main = comparisons[0].profile.main[0]
    analysis = analyse(table, measures.select(rows), main, seed=seed)
    return FolderAnalysis(systems=systems, sentences=sentences, measures=measures, analysis=analysis)


def find_files(folder: Path) -> tuple[Path, Path, Path]:
    """Gold, and the outputs of the first and of the second system."""
    gold = [path for path in _tree_files(folder) if path.stem == GOLD]
    if len(gold) != 1:
        raise BadJudgements(f"{folder}: expected one file gold.conll or gold.conllu, found {len(gold)}")
    return gold[0], *find_systems(folder)


def find_systems(folder: Path) -> tuple[Path, Path]:
    """In alphabetical order."""
    systems = [path for path in _tree_files(folder) if path.stem != GOLD]
    if len(systems) != 2:
        names = ", ".join(path.name for path in systems) or "none"
        raise BadJudgements(f"{folder}: expected the files of two systems next to gold, found {names}")
    first, second = systems
    if first.stem == second.stem:
        raise BadJudgements(f"{folder}: {first.name} and {second.name} name the same system")
    for path in systems:
        if path.stem == EQUAL:
            raise BadJudgements(f"{path}: a system cannot be called {EQUAL}, which is a choice")
    return first, second


def _tree_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise BadJudgements(f"{folder}: not a folder")
    return sorted(
        path for path in folder.iterdir() if path.suffix in _EXTENSIONS and not path.name.startswith(".")
    )


def _compare(gold: Path, system: Path, options: Options) -> Comparison:
    comparison = compare(str(gold), str(system), PROFILE, options=options)
    sentences = comparison.gold.sentences, comparison.system.sentences
    if sentences[0] != sentences[1]:
        raise BadJudgements(f"{system}: expected the {sentences[0]} sentences of gold, found {sentences[1]}")
    return comparison

"""The outputs of an experiment, read and brought to the words of gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from ..reading.fields import Ints, Mask
from ..reading.incidents import InvalidFile
from ..reading.read import read
from ..reading.source import Limits, Source, load, source_name
from ..reading.treebank import Labels, Treebank
from ..scoring.score import compare
from .constraints import ALL, NONE

PLAIN = "plain"


class InvalidExperiment(ValueError):
    """Outputs from which no figures can be computed; the message names the run."""


@dataclass(frozen=True, slots=True)
class Output:
    """The tree of one run over the words of gold.

    right_head and right_arc (head and relation without subtype) are against gold; `same_arc` compares the
    whole relation, as constraints give it. `sha256` is of the decompressed file.
    """

    treebank: Treebank
    sha256: bytes
    right_head: Mask
    right_arc: Mask
    same_arc: Mask


def read_outputs(
    gold: Treebank, files: Mapping[str, Source], classes: Mapping[str, Mask]
) -> dict[str, Output]:
    """Every output by the name of its run. Raises InvalidExperiment."""
    for name in (PLAIN, NONE, ALL):
        if name not in files:
            raise InvalidExperiment(f"the output of the run “{name}” is missing")
    unknown = sorted(set(files) - {PLAIN} - set(classes))
    if unknown:
        raise InvalidExperiment(f"“{unknown[0]}” is not a run of this experiment")
    return {name: _read_output(gold, name, file) for name, file in files.items()}


def _read_output(gold: Treebank, name: str, file: Source) -> Output:
    try:
        content = bytes(load(file, name=source_name(file, None), limits=Limits()))
        system = read(content, name=source_name(file, None))
        comparison = compare(gold, system)
    except InvalidFile as error:
        raise InvalidExperiment(f"the output of the run “{name}” is invalid: {error}") from error
    pairs = comparison.alignment
    same_words = gold.words == system.words == len(pairs.gold)
    if not same_words or not np.array_equal(gold.sentence_first_word, system.sentence_first_word):
        raise InvalidExperiment(f"the words or sentences of the run “{name}” differ from the input")
    right_head = gold.parent == system.parent
    gold_relations, system_relations = _shared_codes(gold.relations, system.relations)
    return Output(
        system,
        sha256(content).digest(),
        right_head,
        right_head & comparison.relation,
        right_head & (gold_relations == system_relations),
    )


def _shared_codes(gold: Labels, system: Labels) -> tuple[Ints, Ints]:
    known = {name: code for code, name in enumerate(gold.names)}
    of_system = np.array([known.setdefault(name, len(known)) for name in system.names], dtype=np.int64)
    return gold.codes, of_system[system.codes]

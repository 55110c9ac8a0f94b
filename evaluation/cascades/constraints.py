"""The files of an experiment: the input that all runs share, and the constraints of each run.

In: a gold file and the words to constrain. Out: CoNLL-U with the tokens and tags of gold; HEAD and DEPREL are
filled in for the constrained words and `_` elsewhere. Nothing else of gold's annotation is passed on: no
enhanced dependencies, no empty nodes, and of MISC only `SpaceAfter=No`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ..errors.classes import ErrorClasses
from ..errors.classify import classify
from ..reading.fields import Mask
from ..reading.layout import DEPREL, DEPS, HEAD, ID, MISC
from ..reading.treebank import Treebank

NONE, ALL = "none", "all"
"""The controls: a file without constraints, and one that constrains every word."""

_SPACE_AFTER = "SpaceAfter=No"


def run_name(class_name: str) -> str:
    """The name of the files of a class.

    >>> run_name("NP attachment")
    'np-attachment'
    """
    return re.sub(r"[^\w]+", "-", class_name.lower()).strip("-")


def constrained_words(gold: Treebank, classes: ErrorClasses) -> Mapping[str, Mask]:
    """The constrained words of every run: of the two controls and of each class, by the name of its files."""
    class_of = classify(gold, classes)
    names = refuse_repeated(classes)
    runs = {NONE: np.zeros(gold.words, dtype=bool), ALL: np.ones(gold.words, dtype=bool)}
    return runs | {name: class_of == number for number, name in enumerate(names)}


def refuse_repeated(classes: ErrorClasses) -> list[str]:
    """The names of the runs of all classes; ValueError if two runs would have the same."""
    names = [run_name(name) for name in classes.names]
    repeated = {name for name in names if names.count(name) > 1} | {NONE, ALL, "plain"}.intersection(names)
    if repeated:
        raise ValueError(f"two runs would have the name “{min(repeated)}”: rename an error class")
    return names


def write_constraints(gold: Treebank, constrained: Mask) -> bytes:
    """The gold file with the heads and relations of the constrained words only."""
    lines = []
    word = 0
    for sentence in range(gold.sentences):
        for line in gold.sentence_source(sentence).rstrip("\n").split("\n"):
            columns = line.split("\t")
            if line.startswith("#"):
                lines.append(line)
                continue
            if "." in columns[ID]:
                continue
            if "-" not in columns[ID]:
                if not constrained[word]:
                    columns[HEAD] = columns[DEPREL] = "_"
                word += 1
            columns[DEPS] = "_"
            columns[MISC] = _SPACE_AFTER if _SPACE_AFTER in columns[MISC].split("|") else "_"
            lines.append("\t".join(columns))
        lines.append("")
    return "\n".join([*lines, ""]).encode()

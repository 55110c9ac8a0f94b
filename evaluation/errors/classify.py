"""The error class of every gold word.

Words with the same relation for which the same conditions hold are in the same class, so the rules are
applied once to each such combination, not to each word.
"""

from __future__ import annotations

import numpy as np

from ..reading.fields import Ints, Mask, indices
from ..reading.layout import UPOS, XPOS
from ..reading.treebank import Labels, Treebank
from ..reading.trees import ROOT
from .classes import Condition, ErrorClasses, covers


def classify(gold: Treebank, classes: ErrorClasses) -> Ints:
    """For each gold word the index of its class in `classes.names`."""
    relations, conditions = gold.relations, classes.conditions
    combinations = relations.codes << len(conditions)
    for bit, condition in enumerate(conditions):
        combinations |= _holds(gold, condition).astype(np.int64) << bit
    class_of = np.zeros(len(relations.names) << len(conditions), dtype=np.int64)
    for combination in indices(np.bincount(combinations) > 0).tolist():
        relation = relations.names[combination >> len(conditions)]
        fulfilled = [condition for bit, condition in enumerate(conditions) if combination >> bit & 1]
        class_of[combination] = classes.class_of(relation, fulfilled)
    result: Ints = class_of[combinations]
    return result


def _holds(gold: Treebank, condition: Condition) -> Mask:
    if condition.subject == "child":
        heads = gold.parent[_marked(gold.relations, condition)]
        holds = np.zeros(gold.words, dtype=bool)
        holds[heads[heads != ROOT]] = True
        return holds
    tags = Labels.from_fields(gold.column(UPOS if condition.subject == "upos" else XPOS))
    return np.array([name in condition.values for name in tags.names], dtype=bool)[tags.codes]


def _marked(relations: Labels, condition: Condition) -> Mask:
    flags = [any(covers(value, name) for value in condition.values) for name in relations.names]
    return np.array(flags, dtype=bool)[relations.codes]

"""How well induced classes match gold tags: M-1, 1-1, V-measure and variation of information.

In: tables of classes × tags, as an array whose last two axes are these; the axes before them are replicates.
Out: one figure per table. All rules work on all replicates at once.
"""

from __future__ import annotations

import math
from importlib import import_module
from threading import local
from weakref import ref

import numpy as np

from ..reading.fields import Ints, Mask
from ..reading.layout import UPOS, XPOS
from ..reading.treebank import Labels
from .compare import Comparison
from .metric import Floats, Units
from .table import Table

_LAST = local()
NO_CLASS = "_"


class MissingPackage(Exception):
    """A metric needs an optional package that is not installed; the message says which."""


def universal_table(comparison: Comparison, units: Units) -> Table:
    """Induced classes × universal tags."""
    return _table(comparison, units, UPOS)


def fine_table(comparison: Comparison, units: Units) -> Table:
    """Induced classes × fine tags."""
    return _table(comparison, units, XPOS)


def _table(comparison: Comparison, units: Units, column: int) -> Table:
    """The class of a word is in the column for universal tags of the system's file.

    The table of a file without classes, where this column is `_` throughout, is empty and has no figures.
    """
    pairs = comparison.alignment
    counted: Mask = comparison.counted_words(comparison.options.punctuation).aligned
    gold, system = pairs.gold[counted], pairs.system[counted]
    classes = Labels.from_fields(comparison.system.column(UPOS))
    tags = Labels.from_fields(comparison.gold.column(column))
    if set(classes.names) <= {NO_CLASS}:
        nothing = np.zeros(0, dtype=np.int64)
        return Table((), tuple(sorted(tags.names)), units.number, nothing, nothing, nothing, nothing)
    return Table.from_items(
        classes.names,
        tags.names,
        units.number,
        unit=units.gold["words"][gold],
        row=classes.codes[system],
        column=tags.codes[gold],
    )


def many_to_one(tables: Floats) -> Floats:
    """Each class is given its most frequent tag: the share of words that are then right.

    >>> round(float(many_to_one(np.array([[3.0, 1.0], [0.0, 4.0]]))), 4)
    0.875
    """
    # Column by column: a maximum over a short last axis is slow.
    largest = tables[..., 0].copy()
    for column in range(1, tables.shape[-1]):
        np.maximum(largest, tables[..., column], out=largest)
    return _share(largest.sum(axis=-1), tables)


def one_to_one(tables: Floats) -> Floats:
    """Cells are taken from the largest on, if neither their class nor their tag has been used.

    Equal cells are taken in the order of (class, tag), which is that of rows and columns.

    >>> round(float(one_to_one(np.array([[5.0, 4.0], [4.0, 0.0]]))), 4)
    0.3846
    """
    classes, tags = tables.shape[-2:]
    flat = _in_a_row(tables)
    # The shorter side takes turns: fewer turns, and fewer candidates in each. Equal counts are ordered by
    # class and then by tag, so that where tags take turns the class is part of what is compared.
    by_tag = tags < classes
    remaining = np.array(flat.transpose(0, 2, 1) if by_tag else flat, dtype=np.float64, order="C")
    every = np.arange(len(remaining))
    partner = remaining.argmax(axis=2)
    largest = np.take_along_axis(remaining, partner[:, :, None], axis=2)[:, :, 0]
    matched = np.zeros(len(remaining))
    for _ in range(min(classes, tags)):
        turn = (largest * classes - partner if by_tag else largest).argmax(axis=1)
        used = partner[every, turn]
        matched += np.maximum(largest[every, turn], 0)
        remaining[every, :, used] = -1
        largest[every, turn] = -1
        # Only those that have lost their partner look for another one.
        replicate, left = np.nonzero((partner == used[:, None]) & (largest > 0))
        again = remaining[replicate, left]
        best = again.argmax(axis=1)
        partner[replicate, left] = best
        largest[replicate, left] = again[np.arange(len(again)), best]
    return _share(matched.reshape(tables.shape[:-2]), tables)


def one_to_one_optimal(tables: Floats) -> Floats:
    """The best one-to-one assignment of classes and tags. Needs scipy.

    >>> round(float(one_to_one_optimal(np.array([[5.0, 4.0], [4.0, 0.0]]))), 4)
    0.6154
    """
    try:
        assign = import_module("scipy.optimize").linear_sum_assignment
    except ImportError as error:
        raise MissingPackage(
            "1-1 (optimal) needs the package scipy: pip install arboretum[optimal]"
        ) from error
    flat = _in_a_row(tables)
    matched = np.array([table[assign(table, maximize=True)].sum() for table in flat])
    return _share(matched.reshape(tables.shape[:-2]), tables)


def _in_a_row(tables: Floats) -> Floats:
    """On one axis. A file without tags has no class, and then -1 would not determine the number of tables."""
    return tables.reshape(math.prod(tables.shape[:-2]), *tables.shape[-2:])


def v_measure(tables: Floats) -> Floats:
    """The harmonic mean of homogeneity and completeness."""
    of_classes, of_tags, joint = _entropies(tables)
    homogeneity = 1 - _ratio(joint - of_classes, of_tags)
    completeness = 1 - _ratio(joint - of_tags, of_classes)
    total = homogeneity + completeness
    return np.where(total > 0, 2 * homogeneity * completeness / np.where(total > 0, total, 1), 0.0)


def variation_of_information(tables: Floats) -> Floats:
    """H(T|C) + H(C|T) in bits; lower is better."""
    of_classes, of_tags, joint = _entropies(tables)
    return np.maximum(2 * joint - of_classes - of_tags, 0.0)


def _entropies(tables: Floats) -> tuple[Floats, Floats, Floats]:
    """Of the classes, of the tags, and of both together, in bits.

    VM and VI need the same ones: those of the last tables are kept, if nobody can change the tables.
    """
    last = getattr(_LAST, "entropies", None)
    if last is None or last[0]() is not tables:
        last = ref(tables), _compute_entropies(tables)
        if not tables.flags.writeable:
            _LAST.entropies = last
    entropies: tuple[Floats, Floats, Floats] = last[1]
    return entropies


def _compute_entropies(tables: Floats) -> tuple[Floats, Floats, Floats]:
    flat = tables.reshape(*tables.shape[:-2], -1)
    # Faster than `sum` over short axes, and on one processor, unlike products with ones.
    of_classes, of_tags = np.einsum("...rc->...r", tables), np.einsum("...rc->...c", tables)
    return _entropy(of_classes), _entropy(of_tags), _entropy(flat)


def _entropy(counts: Floats) -> Floats:
    total = np.maximum(np.einsum("...c->...", counts), 1)
    # n · log n of every whole number that occurs is computed once.
    largest = int(counts.max(initial=0))
    numbers = np.arange(largest + 1, dtype=np.float64)
    terms = numbers * np.log2(np.maximum(numbers, 1))
    integers: Ints = counts.astype(np.int64)
    entropy: Floats = np.log2(total) - terms[integers].sum(axis=-1) / total
    return np.maximum(entropy, 0.0)


def _ratio(conditional: Floats, entropy: Floats) -> Floats:
    """H(T|C) / H(T), 0 where both are 0 but for rounding."""
    some = entropy > 1e-12
    return np.where(some, np.maximum(conditional, 0.0) / np.where(some, entropy, 1), 0.0)


def _share(matched: Floats, tables: Floats) -> Floats:
    sizes = np.einsum("...rc->...", tables)
    shares: Floats = matched / np.maximum(sizes, 1)
    return shares

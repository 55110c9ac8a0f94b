"""FEATS reduced to universal features, value by value and not word by word."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.reading.fields import Fields, Ints, intern

UNIVERSAL_FEATURES = frozenset(
    (
        b"Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood Number "
        b"NumType Person Polarity Polite Poss PronType Reflex Tense VerbForm Voice"
    ).split()
)

Features = tuple[bytes, ...]


class UniversalFeatures:
    """The universal features of a column FEATS: row r has those of value number `codes[r]`.

    Sorted, duplicates kept; layered features (`Gender[psor]`) have names of their own and are not universal.
    What is `known` of values already is not worked out again.
    """

    def __init__(self, fields: Fields, known: Mapping[bytes, Features] | None = None) -> None:
        groups = intern(fields)
        self.codes: Ints = groups.codes
        known = known or {}
        is_universal: dict[bytes, bool] = {}
        self.of_value: dict[bytes, Features] = {}
        for value in groups.values():
            features = known.get(value)
            if features is None:
                parts = value.split(b"|")
                for part in parts:
                    if part not in is_universal:
                        is_universal[part] = part.split(b"=", 1)[0] in UNIVERSAL_FEATURES
                features = tuple(sorted([part for part in parts if is_universal[part]]))
            self.of_value[value] = features

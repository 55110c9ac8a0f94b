"""Reduce FEATS to universal features, once per distinct value instead of per word."""

from __future__ import annotations

import numpy as np

from .fields import Fields, Ints
from .intern import intern

UNIVERSAL_FEATURES = frozenset(
    (
        b"Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood Number "
        b"NumType Person Polarity Polite Poss PronType Reflex Tense VerbForm Voice"
    ).split()
)

Features = tuple[bytes, ...]


class UniversalFeatures:
    """The universal features of a column FEATS, as numbers: `codes[r]` is that of row r.

    Features are sorted, with duplicates; layered features (`Gender[psor]`) are not universal.
    Results of another column `like` are reused, including its numbers.
    """

    def __init__(self, fields: Fields, like: UniversalFeatures | None = None) -> None:
        self._of_value: dict[bytes, int] = dict(like._of_value) if like else {}
        self._numbers: dict[Features, int] = dict(like._numbers) if like else {}
        self._is_universal: _IsUniversal = _IsUniversal(like._is_universal if like else ())
        groups = intern(fields)
        of_group = [self._number(value) for value in groups.values()]
        # Equal numbers mean equal universal features, in this column and in `like`.
        self.codes: Ints = np.array(of_group, dtype=np.int64)[groups.codes]

    def _number(self, value: bytes) -> int:
        number = self._of_value.get(value)
        if number is None:
            is_universal = self._is_universal
            features = [feature for feature in value.split(b"|") if is_universal[feature]]
            features.sort()
            number = self._numbers.setdefault(tuple(features), len(self._numbers))
            self._of_value[value] = number
        return number


class _IsUniversal(dict[bytes, bool]):
    """Whether a feature such as `Case=Nom` is universal, decided once for each."""

    def __missing__(self, feature: bytes) -> bool:
        is_universal = self[feature] = feature.split(b"=", 1)[0] in UNIVERSAL_FEATURES
        return is_universal

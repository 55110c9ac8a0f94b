"""Score a system file against a gold file.

In: two treebanks (or anything `read` takes) and a profile. Out: a `Score`, integer counts for every metric of
the profile with the fractions that follow from them, and a signature that says how to reproduce them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..reading.incidents import InvalidFile
from ..reading.read import read
from ..reading.source import Source
from ..reading.treebank import Treebank
from ..signature import signature
from .compare import Comparison, Options
from .counts import Tally, tallies
from .profiles import PROFILES

DEFAULT_OPTIONS = Options()


class InvalidGold(InvalidFile):
    """The gold file is invalid, so no score can be computed."""


@dataclass(frozen=True)
class Score:
    """The scores of one system file against one gold file."""

    profile: str
    metrics: Mapping[str, Tally]
    options: Options
    _gold: Treebank = field(repr=False, compare=False)

    @property
    def gold_sha256(self) -> str:
        """The hash of the gold file."""
        return self._gold.sha256

    @property
    def signature(self) -> str:
        """How to reproduce these figures, in one line."""
        return signature(profile=self.profile, options=self.options, gold_sha256=self.gold_sha256)


def score(
    gold: Treebank | Source,
    system: Treebank | Source,
    profile: str = "conll18",
    *,
    options: Options = DEFAULT_OPTIONS,
) -> Score:
    """Score a system file against a gold file.

    Raises InvalidGold if the gold file is invalid, and InvalidFile if the system file is invalid or if the
    characters of the two differ.

    >>> line = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> result = score(line, line.replace(b"INTJ", b"NOUN"), profile="conll17")
    >>> result.metrics["LAS"].f1, result.metrics["UPOS"].f1
    (1.0, 0.0)
    """
    comparison = compare(gold, system, profile, options=options)
    return Score(profile, tallies(comparison), options, comparison.gold)


def compare(
    gold: Treebank | Source,
    system: Treebank | Source,
    profile: str = "conll18",
    *,
    options: Options = DEFAULT_OPTIONS,
) -> Comparison:
    """Align both files under a profile: the basis of scores, counts by unit, diffs and breakdowns."""
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}; the profiles are {', '.join(PROFILES)}")
    selected = PROFILES[profile]
    once = not isinstance(gold, Treebank)
    if not isinstance(gold, Treebank):
        try:
            gold = read(gold)
            gold.surface(selected.spaces)
        except InvalidFile as refusal:
            raise InvalidGold(refusal.report) from refusal
    if not isinstance(system, Treebank):
        system = read(system)
    return Comparison(gold, system, selected, options, once=once)

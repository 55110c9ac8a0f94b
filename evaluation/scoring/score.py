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
from .checked_sums import checked_figure
from .compare import Comparison
from .counts import tables_by_unit, tallies
from .metric import TableMetric
from .options import Options
from .profile import Profile
from .profiles import definitions, find_profile, format_of
from .table import Table
from .tally import Tally
from .units import find_units


class InvalidGold(InvalidFile):
    """The gold file is invalid, so no score can be computed."""


@dataclass(frozen=True)
class Score:
    """The scores of one system file against one gold file.

    `metrics` has the counts of the metrics that have counts, `figures` one figure for every metric.
    """

    profile: str
    metrics: Mapping[str, Tally]
    figures: Mapping[str, float]
    tables: Mapping[str, Table]
    options: Options
    _gold: Treebank = field(repr=False, compare=False)

    @property
    def gold(self) -> Treebank:
        return self._gold

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
    options: Options | None = None,
) -> Score:
    """Score a system file against a gold file; without options, by those of the profile.

    Raises InvalidGold if the gold file is invalid, and InvalidFile if the system file is invalid or if the
    characters of the two differ.

    >>> line = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> result = score(line, line.replace(b"INTJ", b"NOUN"), profile="conll17")
    >>> result.metrics["LAS"].f1, result.metrics["UPOS"].f1
    (1.0, 0.0)
    """
    comparison = compare(gold, system, profile, options=options)
    tables = tables_by_unit(comparison, find_units(comparison)) if comparison.profile.tables else {}
    counts = tallies(comparison)
    return Score(
        profile, counts, figures_of(comparison, counts, tables), tables, comparison.options, comparison.gold
    )


def figures_of(
    comparison: Comparison, counts: Mapping[str, Tally], tables: Mapping[str, Table]
) -> dict[str, float]:
    """The figure of every metric, given the sums of the file; none follows from an empty table."""
    figures = {}
    for name, metric in definitions(comparison.profile, comparison.options).items():
        if isinstance(metric, TableMetric):
            if tables[metric.table].is_empty:
                continue
            figures[name] = checked_figure(name, comparison, metric.rule, tables[metric.table])
        else:
            figures[name] = counts[name].f1
    return figures


def compare(
    gold: Treebank | Source,
    system: Treebank | Source,
    profile: str = "conll18",
    *,
    options: Options | None = None,
) -> Comparison:
    """Align both files under a profile: the basis of scores, counts by unit, diffs and breakdowns."""
    selected = find_profile(profile)
    options = selected.options if options is None else options
    once = not isinstance(gold, Treebank)
    if not isinstance(gold, Treebank):
        gold = read_gold(gold, selected, options)
    if not isinstance(system, Treebank):
        system = read(system, format=format_of(selected, options))
    return Comparison(gold, system, selected, options, once=once)


def read_gold(gold: Source, profile: Profile, options: Options, name: str | None = None) -> Treebank:
    """Raises InvalidGold if the file is invalid."""
    try:
        treebank = read(gold, name=name, format=format_of(profile, options))
        treebank.surface(profile.spaces)
    except InvalidFile as refusal:
        raise InvalidGold(refusal.report) from refusal
    return treebank

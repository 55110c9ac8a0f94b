"""A profile: a published evaluator as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..reading.formats import CONLLU, Format
from ..reading.treebank import ZS_SPACES
from .metric import Distances, Metric, TableFunction, WordMetric
from .options import Options
from .presentation import PRESENTATIONS, Presentation


class ProfileError(Exception):
    """A profile does not do what it promises: an error of the organisers' side, never of a team."""


Averaging = Literal["figures", "precision-recall", "micro"]
Policy = Literal["zero", "exclude"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The format of the files, the metrics with their order, and the rules for averages.

    `averaging`: the mean of the figures of the test sets; or the means of precision and recall, and F1 from
    these; or (`micro`) the figure of the sums of all test sets. `missing` says how a missing file counts.
    """

    name: str
    title: str
    citation: str
    # What it counts as changes with it. Without one, the version of the evaluator is meant.
    version: str = ""
    definitions: Mapping[str, Metric]
    # Metrics that an option adds.
    optional: Mapping[str, Metric] = field(default_factory=dict)
    # The tables that the metrics of kind `TableMetric` use.
    tables: Mapping[str, TableFunction] = field(default_factory=dict)
    # Each has its own ranking, and all of them are equally important.
    main: tuple[str, ...]
    # The metrics that a leaderboard shows after the main ones, in this order.
    secondary: tuple[str, ...] = ()
    # Metrics of the steps before tagging and of those before parsing; the most informative one first.
    segmentation: tuple[str, ...] = ()
    morphology: tuple[str, ...] = ()
    # The word metrics that a breakdown shows next to the chosen one; the first of them if no other is chosen.
    breakdown: tuple[str, ...] = ()
    # What displayed trees are compared in. An error in a list of sentences is a word with a wrong head or, if
    # relations are compared, a wrong relation.
    displayed: tuple[str, ...] = ("head", "relation", "upos")
    # The arcs that a breakdown by length measures, if not those of the files, and where its groups begin.
    distances: Distances | None = None
    arc_lengths: tuple[int, ...] = (1, 2, 3, 7)
    # Content relations are those listed, or all but those listed.
    content: frozenset[str] = frozenset()
    content_is_listed: bool = False
    functional: frozenset[str] = frozenset()
    format: Format = CONLLU
    spaces: tuple[bytes, ...] = ZS_SPACES
    # The tokens are given: a file must have those of gold, in the same sentences.
    tokens_given: bool = False
    options: Options = field(default_factory=Options)
    averaging: Averaging = "figures"
    missing: Policy = "zero"
    # The tracks of its task, each with the metrics that systems are ranked by there.
    tracks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    presentations: Mapping[str, Presentation] = field(default_factory=lambda: PRESENTATIONS)

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(self.definitions)

    @property
    def word_metrics(self) -> Mapping[str, WordMetric]:
        return {name: metric for name, metric in self.definitions.items() if isinstance(metric, WordMetric)}

    def displayed_metrics(self, main: Sequence[str] = ()) -> tuple[str, ...]:
        """The metrics of a leaderboard: `main` (by default the profile's own), then the secondary ones."""
        main = tuple(main) or self.main
        return (*main, *(name for name in self.secondary if name not in main))

    def is_content(self, relation: str) -> bool:
        return (relation in self.content) == self.content_is_listed

"""The fictional systems of the induction demo: how often they are wrong, and what they upload.

In: a demo treebank. Out: the file of a system in a track. The same errors as in the first demo task
(`demo/corrupt.py`) are put into gold, tokens stay as they are, and tags become the names of classes.
"""

from __future__ import annotations

from dataclasses import dataclass

from sharedtask.content.demo.corrupt import TAGS, Rates, corrupt
from sharedtask.content.induction.treebanks import nine_columns

TAGS_TRACK, DEPENDENCIES, JOINT = "tags", "dependencies", "joint"
ALL_TAGS = (*TAGS, "AUX", "CCONJ", "INTJ", "NUM", "PART", "PUNCT", "SCONJ", "SYM", "X")


@dataclass(frozen=True, kw_only=True)
class InducedSystem:
    team: str
    track: str
    heads: float = 0.0
    """The share of words with another head."""
    tags: float = 0.0
    """The share of words with another tag."""
    classes: int = len(ALL_TAGS)
    """How many classes it distinguishes; with fewer than there are tags, some tags share one."""
    omits: str = ""
    """Code of a treebank for which it submits no file."""
    name: str = ""
    """Of the system, if it is not the primary one of its team."""
    function_words: float | None = None
    """The share of wrong heads among determiners, prepositions and the like, if it is another one."""
    sentences: int | None = None
    sample: int | None = None
    """For a run of a series: what it claims to be trained on."""

    @property
    def rates(self) -> Rates:
        return Rates(heads=self.heads, tags=self.tags, function_words=self.function_words)

    @property
    def seed(self) -> str:
        parts = ["induction", self.team, self.track]
        return "/".join(parts if self.sentences is None else [*parts, f"{self.sentences}-{self.sample}"])


SYSTEMS = (
    InducedSystem(team="Linden", track=TAGS_TRACK, tags=0.25, classes=12),
    InducedSystem(team="Rowan", track=TAGS_TRACK, tags=0.15, classes=17, omits="ja_eki"),
    InducedSystem(team="Juniper", track=TAGS_TRACK, tags=0.40, classes=8),
    InducedSystem(team="Linden", track=DEPENDENCIES, heads=0.35),
    InducedSystem(team="Hornbeam", track=DEPENDENCIES, heads=0.45, omits="vi_cho"),
    InducedSystem(team="Juniper", track=DEPENDENCIES, heads=0.65),
    InducedSystem(team="Rowan", track=JOINT, heads=0.50, tags=0.30, classes=12),
    InducedSystem(team="Hornbeam", track=JOINT, heads=0.60, tags=0.45, classes=10),
)
SERIES = tuple(
    # Heads of function words are learned first.
    InducedSystem(
        team="Rowan",
        name="supervised",
        track=DEPENDENCIES,
        heads=0.7 * (5 / sentences) ** 0.25,
        function_words=0.5 * (5 / sentences) ** 0.6,
        sentences=sentences,
        sample=sample,
    )
    for sentences in (5, 20, 100, 500)
    for sample in (1, 2)
)
"""A parser that was trained on samples of growing size: what the induced trees are worth in sentences."""


def output_of(system: InducedSystem, gold: str, code: str) -> str:
    wrong = corrupt(gold, system.rates, seed=f"{system.seed}/{code}")
    classes = {tag: f"c{number % system.classes + 1}" for number, tag in enumerate(ALL_TAGS)}
    return nine_columns(wrong, classes=classes, has_heads=system.track != TAGS_TRACK)

"""Options: deviations from a profile, and choices that a profile leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Punctuation = Literal["all", "relation", "form"]
VERBS = ("VERB",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Every option that affects a figure is in its signature.

    punctuation: `all` words count in UAS, LAS and LA; `relation` excludes words whose own relation is
    `punct`; `form` excludes words whose FORM consists of Unicode punctuation.
    subtypes: compare `nsubj:pass` in full instead of shortening it to `nsubj`.
    label_accuracy: also report LA.
    extra: also report these metrics, which are none of the profile's own.
    verbs: the tags of the words that LCP and UCP count.
    reader: the format of the files, if it is not the usual one of the profile.
    """

    punctuation: Punctuation = "all"
    subtypes: bool = False
    label_accuracy: bool = False
    extra: tuple[str, ...] = ()
    verbs: tuple[str, ...] = VERBS
    reader: str = ""

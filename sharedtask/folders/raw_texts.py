"""Whether the raw text of a test set keeps gold's segmentation to itself while gold is not public.

In: a test set as the folder has it, and as the database has it. Out: problems, where there is no raw text
but one made from sealed gold; and warnings, where the organisers' own text shows sentences or tokens.
"""

from __future__ import annotations

from collections.abc import Iterator

import evaluation
from evaluation.reading.raw_text import Segmentation, leaked_segmentation
from evaluation.scoring.validate import decode_text
from sharedtask.competition.models import GoldVersion, TestSet
from sharedtask.core.limits import reading_limits
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import SetInFolder, raw_text_name

HOW_TO_MAKE_ONE = (
    "Put the text there as it was before annotation: the characters of gold with the original spaces, "
    "paragraphs separated by a blank line, and no line break just because a sentence ends."
)

GIVEN_AWAY_BY = {
    Segmentation.SENTENCES: "each of its lines is a sentence",
    Segmentation.TOKENS: "white space separates tokens even where gold says SpaceAfter=No",
}


def missing(test_set: SetInFolder) -> Iterator[Problem]:
    """A profile that gave tokens to participants would need no raw text; there is none so far."""
    if test_set.raw_texts:
        return
    name = raw_text_name(test_set.code)
    if not test_set.gold:
        message = f"without gold the raw text has to be there: {name}, or a variant `raw`"
        yield test_set.entry.problem("inputs", message)
    elif not test_set.gold[-1].public:
        message = (
            f"{test_set.code} has no raw text: {name} is not there. Its gold is not public, and a text made "
            f"from it would show where sentences and tokens end. {HOW_TO_MAKE_ONE}"
        )
        yield test_set.entry.problem("inputs", message)


def made_from_sealed_gold(existing: TestSet | None, test_set: SetInFolder) -> Iterator[Problem]:
    """The folder may call a version public that is sealed on this site: an import does not release gold."""
    if existing is None or not any(given.made_from_gold for given in test_set.raw_texts):
        return
    version = stored_version(existing, test_set)
    if version is not None and not version.is_released:
        message = (
            f"{test_set.code} has no raw text: {raw_text_name(test_set.code)} is not there, and gold version "
            f"{version.number} of {test_set.code} is not public here; releasing gold is an act of its own. "
            f"{HOW_TO_MAKE_ONE}"
        )
        yield test_set.entry.problem("inputs", message)


def stored_version(existing: TestSet, test_set: SetInFolder) -> GoldVersion | None:
    """The row of the folder's newest gold, None where the import will add it."""
    newest = test_set.gold[-1]
    if newest.number is not None:
        return existing.gold_versions.filter(number=newest.number).first()
    last = existing.gold_versions.order_by("number").last()
    return last if last is not None and last.sha256 == newest.sha256 else None


def warnings(test_set: SetInFolder) -> Iterator[str]:
    """Some texts are written with a sentence on each line, so that this does not forbid the import."""
    if not test_set.gold or test_set.gold[-1].public or not test_set.raw_texts:
        return
    gold = evaluation.read(test_set.gold[-1].content, limits=reading_limits())
    for shown in sorted(leaked_segmentation(gold, decode_text(test_set.raw_texts[-1].content))):
        yield (
            f"the raw text of {test_set.code} gives away the {shown} of its gold, which is not public: "
            f"{GIVEN_AWAY_BY[shown]}. {HOW_TO_MAKE_ONE}"
        )

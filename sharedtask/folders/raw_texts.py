"""Check that the raw text of a test set does not reveal the segmentation of gold that is not public.

In: a test set in the folder and in the database. Out: a problem if the only raw text would be made from
sealed gold; a warning if the organisers' own text shows sentence or token boundaries.
"""

from __future__ import annotations

from collections.abc import Iterator

import evaluation
from evaluation.reading.raw_text import Segmentation, leaked_segmentation
from evaluation.scoring.validate import decode_text
from sharedtask.competition.models import GoldVersion, InputFile, TestSet
from sharedtask.core.limits import reading_limits
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import FolderTestSet, raw_text_name

RAW_TEXT_ADVICE = (
    "Add the text as it was before annotation: the characters of gold with the original spaces, "
    "paragraphs separated by blank lines, and no line breaks between sentences."
)

REVEALED_BY = {
    Segmentation.SENTENCES: "each of its lines is a sentence",
    Segmentation.TOKENS: "white space separates tokens even where gold has SpaceAfter=No",
}


def check_present(test_set: FolderTestSet) -> Iterator[Problem]:
    """Participants are given raw text or tokens. The tokens are made from gold, if there is any."""
    if test_set.gives_tokens and not test_set.token_files:
        message = f"a test set without gold needs an input with the variant `{InputFile.TOKENS}`"
        yield test_set.entry.problem("inputs", message)
    if test_set.raw_texts or test_set.gives_tokens:
        return
    name = raw_text_name(test_set.code)
    if not test_set.gold:
        message = f"a test set without gold needs a raw text: {name} or an input with the variant `raw`"
        yield test_set.entry.problem("inputs", message)
    elif not test_set.gold[-1].public:
        message = (
            f"{test_set.code} has no raw text: {name} is missing. Its gold is not public, and a text made "
            f"from it would show where sentences and tokens end. {RAW_TEXT_ADVICE}"
        )
        yield test_set.entry.problem("inputs", message)


def check_not_from_sealed_gold(existing: TestSet | None, test_set: FolderTestSet) -> Iterator[Problem]:
    """The folder may declare a version public that is sealed here; importing does not release gold."""
    if existing is None or not any(text.made_from_gold for text in test_set.raw_texts):
        return
    version = stored_version(existing, test_set)
    if version is not None and not version.is_released:
        message = (
            f"{test_set.code} has no raw text: {raw_text_name(test_set.code)} is missing, and gold version "
            f"{version.number} of {test_set.code} is not public here; gold is released on the page Gold. "
            f"{RAW_TEXT_ADVICE}"
        )
        yield test_set.entry.problem("inputs", message)


def stored_version(existing: TestSet, test_set: FolderTestSet) -> GoldVersion | None:
    """The row of the folder's newest gold; None if the import will add it."""
    newest = test_set.gold[-1]
    if newest.number is not None:
        return existing.gold_versions.filter(number=newest.number).first()
    last = existing.gold_versions.order_by("number").last()
    return last if last is not None and last.sha256 == newest.sha256 else None


def warnings(test_set: FolderTestSet) -> Iterator[str]:
    """Only warnings, because some texts have a sentence on each line by nature."""
    if not test_set.gold or test_set.gold[-1].public or not test_set.raw_texts:
        return
    gold = evaluation.read(test_set.gold[-1].content, limits=reading_limits(), format=test_set.format)
    for segmentation in sorted(leaked_segmentation(gold, decode_text(test_set.raw_texts[-1].content))):
        yield (
            f"the raw text of {test_set.code} reveals the {segmentation} of its gold, which is not public: "
            f"{REVEALED_BY[segmentation]}. {RAW_TEXT_ADVICE}"
        )

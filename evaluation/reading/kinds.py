"""The catalogue of incidents: for each kind a stable id, a title, and how to fix it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of incident. A fatal one makes the file invalid, and an invalid file scores zero."""

    id: str
    title: str
    remedy: str
    fatal: bool = True


TOO_MUCH_MEMORY = "too-much-memory"

KINDS: Mapping[str, Kind] = {
    kind.id: kind
    for kind in (
        Kind(
            "unreadable-file",
            "The file cannot be read",
            "Check that the file exists and is readable, and that a compressed file is complete.",
        ),
        Kind(
            "file-too-large",
            "The file is larger than the limit",
            "Outputs are normally far below the limit: look for an endless loop that writes output.",
        ),
        Kind(
            TOO_MUCH_MEMORY,
            "Checking the file needs more memory than allowed",
            "Outputs are normally far below the limit: look for lines that should not be there.",
        ),
        Kind(
            "line-too-long",
            "A line is longer than the limit",
            "Look for missing line breaks, or for a column that contains a whole document.",
        ),
        Kind(
            "sentence-too-long",
            "A sentence has more words than the limit",
            "Look for missing blank lines between sentences.",
        ),
        Kind(
            "byte-order-mark",
            "The file begins with a byte-order mark",
            "Save the file as UTF-8 without a byte-order mark (BOM).",
        ),
        Kind(
            "not-utf8",
            "A line is not UTF-8",
            "Write the file as UTF-8; in Python, open(path, 'w', encoding='utf-8').",
        ),
        Kind(
            "empty-file",
            "The file contains no sentences",
            "Check that your system finished and wrote its output to this file.",
        ),
        Kind(
            "no-final-blank-line",
            "The last sentence is not followed by a blank line",
            "End every sentence, including the last one, with an empty line. "
            "If the file looks truncated, your system may have been interrupted.",
        ),
        Kind(
            "empty-sentence",
            "A sentence has no words",
            "Write exactly one blank line after each sentence, and no comment block without words.",
        ),
        Kind(
            "comment-inside-sentence",
            "A comment is inside a sentence",
            "Comments are allowed only before the first word of a sentence. "
            "The line of a token '#' begins with its ID, like any other token line.",
        ),
        Kind(
            "comment-not-allowed",
            "The format does not allow comments",
            "Remove the comments: CoNLL-X and the nine columns of PASCAL 2012 have only words.",
        ),
        Kind(
            "wrong-columns",
            "A line does not have the columns of the format",
            "Write the columns separated by single tabs, and '_' for an empty value: ten in CoNLL-U and "
            "CoNLL-X, nine in the format of PASCAL 2012.",
        ),
        Kind(
            "id-malformed",
            "An ID is not a number, a range or an empty node",
            "IDs are decimal numbers without leading zeros: 3, a range 3-4, or an empty node 3.1.",
        ),
        Kind(
            "id-out-of-sequence",
            "An ID is out of sequence",
            "Number the words of each sentence 1, 2, 3, … without gaps, including inside ranges.",
        ),
        Kind(
            "range-out-of-place",
            "A range is not directly before its first word",
            "Put the line of a range directly before the line of its first word.",
        ),
        Kind(
            "range-overlaps",
            "A range overlaps the previous one",
            "A word belongs to at most one multi-word token.",
        ),
        Kind("range-backwards", "A range ends before it begins", "Write the smaller ID first: 3-4."),
        Kind(
            "range-past-sentence",
            "A range extends past the end of its sentence",
            "Write one line for every word of the range.",
        ),
        Kind(
            "range-too-long",
            "A range spans more than 100 words",
            "A multi-word token is one orthographic word; split the range.",
        ),
        Kind(
            "empty-form",
            "A surface token has an empty FORM",
            "Every token needs at least one character that is not a space.",
        ),
        Kind(
            "empty-form-in-range",
            "A word inside a range has an empty FORM",
            "This is allowed, but such a word matches only another empty word. Give it a form if you can.",
            fatal=False,
        ),
        Kind(
            "empty-node-out-of-place",
            "An empty node does not follow its word",
            "Write the empty node 3.1 directly after word 3. The evaluation ignores empty nodes.",
            fatal=False,
        ),
        Kind(
            "head-malformed",
            "A HEAD is not a number",
            "HEAD is the ID of another word in the sentence, or 0 for the root: "
            "a decimal number without leading zeros.",
        ),
        Kind(
            "head-negative",
            "A HEAD is negative",
            "HEAD is the ID of a word in the sentence, or 0 for the root.",
        ),
        Kind(
            "head-outside",
            "A HEAD points outside the sentence",
            "HEAD is the ID of a word in the same sentence. "
            "Splitting or merging sentences without renumbering is a common cause.",
        ),
        Kind(
            "cycle",
            "The heads form a cycle",
            "Follow the heads listed here: one of them must point to a different word.",
        ),
        Kind("no-root", "A sentence has no root", "Exactly one word of each sentence must have HEAD 0."),
        Kind(
            "several-roots",
            "A sentence has several roots",
            "Exactly one word of each sentence must have HEAD 0; attach the others to it.",
        ),
        Kind(
            "deps-malformed",
            "An entry of DEPS has no head or no relation",
            "Write DEPS as head:relation, separated by '|': 2:nsubj|4:nsubj.",
        ),
        Kind(
            "deps-head-outside",
            "A head in DEPS does not exist",
            "Heads in DEPS are 0, IDs of words, or IDs of empty nodes of the same sentence.",
        ),
        Kind(
            "deps-repeated",
            "An edge is repeated in DEPS",
            "It counts once. Write each edge once.",
            fatal=False,
        ),
        Kind(
            "deps-unconnected",
            "Words are not connected to the root in DEPS",
            "From the root, following edges from heads to dependents, every word must be reached.",
        ),
        Kind(
            "empty-node-cycle",
            "Empty nodes depend on each other in a cycle",
            "Following the heads of empty nodes must lead to a word or to the root.",
        ),
        Kind(
            "too-many-paths",
            "There are too many paths through empty nodes",
            "Give empty nodes fewer heads: every path through them counts as an edge.",
        ),
        Kind(
            "text-differs",
            "The tokens differ from the raw text",
            "Apart from white space, your tokens must be the characters of the raw text in the same order.",
        ),
        Kind(
            "white-space-in-token",
            "A token contains white space that scoring treats as a character",
            "Remove it, or write a plain space: scoring removes U+0020 from tokens, and under `conll18` "
            "all of Unicode category Zs, but no other white space.",
        ),
        Kind(
            "tokens-differ",
            "The tokens differ from the given ones",
            "Keep the words and sentences of the input file as they are; only other columns may change.",
        ),
        Kind(
            "characters-differ",
            "The tokens differ from the gold file",
            "Apart from spaces, the tokens of both files must contain the same characters in the same order.",
        ),
    )
}


def explain(id: str) -> str:
    """What an incident means and how to fix it; for an unknown id, KeyError with similar ids."""
    if id not in KINDS:
        near = difflib.get_close_matches(id, KINDS)
        hint = f"did you mean {', '.join(near)}?" if near else f"known incidents: {', '.join(sorted(KINDS))}."
        raise KeyError(f"Unknown incident {id!r}; {hint}")
    kind = KINDS[id]
    severity = (
        "The file is invalid and scores zero."
        if kind.fatal
        else "This is a warning: the file is still scored."
    )
    return f"{kind.id}: {kind.title}. {severity} {kind.remedy}"

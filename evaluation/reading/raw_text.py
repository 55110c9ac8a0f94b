"""The running text of a treebank, and whether a raw text reveals how gold is segmented.

In: a treebank. Out: its text as it was before annotation, as far as gold records it in `# text`, SpaceAfter,
documents and paragraphs. Sentences of a paragraph are on one line, because line breaks between them would
reveal their boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import accumulate

from .compare_text import WHITE_SPACE
from .layout import MISC
from .treebank import Treebank

_PARAGRAPH = "\n\n"
_NEW_PARAGRAPH = re.compile(r"^#[ \t]*new(?:par|doc)(?![\w-])", re.MULTILINE)
_TEXT = re.compile(r"^#[ \t]*text[ \t]*=(.*)$", re.MULTILINE)
_SPACES = re.compile(f"[{WHITE_SPACE}]+")
_LINE_BREAKS = re.compile(r"[\r\n]+")
_REMOVE_WHITE_SPACE = dict.fromkeys(map(ord, WHITE_SPACE))
# How UDPipe writes white space in SpacesAfter.
_ESCAPES = {r"\s": " ", r"\t": "\t", r"\n": "\n", r"\r": "\r"}
_ESCAPE = re.compile(r"\\.")


class Segmentation(StrEnum):
    """The segmentation that the white space of a raw text can reveal."""

    SENTENCES = "sentences"
    TOKENS = "tokens"


def raw_text(treebank: Treebank) -> str:
    """The text of the whole treebank: a blank line between paragraphs and documents, none elsewhere.

    >>> from .read import read
    >>> word = "1\\t{}\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t{}\\n\\n"
    >>> raw_text(read((word.format("Yes", "SpaceAfter=No") + word.format(",", "_")).encode()))
    'Yes,\\n'
    """
    pieces: list[str] = []
    gap = ""
    for sentence in range(treebank.sentences):
        comments = _comments(treebank, sentence)
        forms, misc = _tokens(treebank, sentence)
        if pieces:
            begins_paragraph = _NEW_PARAGRAPH.search(comments) or _begins_paragraph(misc[0])
            pieces.append(_PARAGRAPH if begins_paragraph else gap)
        # `# text` does not record a paragraph that begins inside the sentence.
        inner_paragraph = any(map(_begins_paragraph, misc[1:]))
        text = _text_comment(comments)
        pieces += [text] if text and not inner_paragraph else _join_forms(forms, misc)
        gap = _space_after(misc[-1])
    return "".join(pieces) + "\n"


def leaked_segmentation(gold: Treebank, text: str) -> frozenset[Segmentation]:
    """What the white space of a raw text reveals about gold's segmentation.

    Sentences: its lines are gold's sentences. Tokens: there is white space at every token boundary, even
    where gold says that there is none.
    """
    lengths = [_length(form.decode()) for form in gold.token_forms.values()]
    starts = [0, *accumulate(lengths)]
    sentences = {starts[token] for token in gold.sentence_first_token[1:-1].tolist()}
    leaked = set()
    if sentences and sentences == set(_boundaries(_LINE_BREAKS, text)):
        leaked.add(Segmentation.SENTENCES)
    misc = gold.layout.column(MISC, gold.token_rows).values()
    unspaced = {starts[token + 1] for token, value in enumerate(misc) if not _space_after(value.decode())}
    unspaced -= sentences | {starts[-1]}
    if unspaced and unspaced <= set(_boundaries(_SPACES, text)):
        leaked.add(Segmentation.TOKENS)
    return frozenset(leaked)


def _comments(treebank: Treebank, sentence: int) -> str:
    layout = treebank.layout
    first_token = treebank.token_rows[treebank.sentence_first_token[sentence]]
    begin, end = layout.block_start[sentence], layout.start[first_token]
    return layout.data[begin:end].tobytes().decode()


def _text_comment(comments: str) -> str:
    """The value of the first `# text`, empty if there is none."""
    match = _TEXT.search(comments)
    return match[1].strip() if match else ""


def _tokens(treebank: Treebank, sentence: int) -> tuple[list[str], list[str]]:
    """FORM and MISC of the surface tokens: those of a range, not of its words."""
    first, last = treebank.sentence_first_token[sentence : sentence + 2]
    rows = treebank.token_rows[first:last]
    forms = treebank.token_forms[first:last].values()
    misc = treebank.layout.column(MISC, rows).values()
    return [form.decode() for form in forms], [value.decode() for value in misc]


def _join_forms(forms: list[str], misc: list[str]) -> Iterator[str]:
    for number, form in enumerate(forms):
        if number:
            yield _PARAGRAPH if _begins_paragraph(misc[number]) else _space_after(misc[number - 1])
        yield form


def _begins_paragraph(misc: str) -> bool:
    return "NewPar=Yes" in misc.split("|")


def _space_after(misc: str) -> str:
    """The white space after a token: none, the value of SpacesAfter, or one space."""
    attributes = misc.split("|")
    if "SpaceAfter=No" in attributes:
        return ""
    for attribute in attributes:
        name, _, value = attribute.partition("=")
        if name == "SpacesAfter":
            spaces = _ESCAPE.sub(lambda match: _ESCAPES.get(match[0], match[0]), value)
            # Any other value would add characters that no token has.
            if _SPACES.fullmatch(spaces):
                return spaces
    return " "


def _boundaries(separator: re.Pattern[str], text: str) -> Iterator[int]:
    """The number of characters, not counting white space, before each separator inside the text."""
    parts = [length for part in separator.split(text) if (length := _length(part))]
    return accumulate(parts[:-1])


def _length(text: str) -> int:
    return len(text.translate(_REMOVE_WHITE_SPACE))

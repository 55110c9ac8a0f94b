"""Check a file as a participant can: its form, and its characters against the raw text that was given out.

Nothing here knows the gold file. Both sides are compared with all Unicode white space removed; so a token may
hold no white space that scoring, which removes less, would take for a character.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from evaluation.reading.fields import occurrences
from evaluation.reading.incidents import Collector, Incident, InvalidFile, Report, visible
from evaluation.reading.read import DEFAULT_LIMITS, examine
from evaluation.reading.source import Limits, Source
from evaluation.reading.treebank import Surface, Treebank
from evaluation.reading.unlike import why_unlike
from evaluation.scoring.profiles import PROFILES

# The property White_Space of Unicode; Python's str.isspace counts four control characters more.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
_REMOVE_WHITE_SPACE = dict.fromkeys(map(ord, WHITE_SPACE))
_SHOWN = 20
_PIECE = 1 << 16


def validate(
    source: Source,
    *,
    text: str | bytes | os.PathLike[str] | None = None,
    profile: str = "conll18",
    name: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Report:
    """All that is wrong with a file. `text` is the raw text it must reproduce: a string, bytes or a path.

    >>> report = validate(b"1\\tHello\\t_\\t_\\t_\\t_\\t2\\troot\\t_\\t_\\n\\n")
    >>> report.valid, [incident.id for incident in report.incidents]
    (False, ['head-outside'])
    """
    treebank, report = examine(source, name=name, limits=limits)
    if treebank is None:
        return report
    try:
        treebank.surface(PROFILES[profile].spaces)
    except InvalidFile as refusal:
        return report.joined(refusal.report)
    if text is None:
        return report
    spaced = _white_space(treebank, profile, limits)
    return report.joined(_against(treebank, decoded(text))).joined(spaced)


def check_test_set(gold: Treebank, text: str, profile: str) -> Report:
    """Whether the two character checks, at home and in scoring, can never disagree on this test set.

    They could where a gold token keeps a white space character under the profile's rule (U+00A0 under
    `conll17`, say): the check at home ignores what scoring compares.
    """
    return _against(gold, text).joined(_white_space(gold, profile, DEFAULT_LIMITS))


def decoded(text: str | bytes | os.PathLike[str]) -> str:
    """Raw text as a string; a byte-order mark at its beginning is no part of it."""
    if isinstance(text, os.PathLike):
        text = Path(text).read_bytes()
    return text.decode("utf-8-sig") if isinstance(text, bytes) else text


def _against(treebank: Treebank, text: str) -> Report:
    """The report of where the tokens leave the text, empty where they never do."""
    surface = treebank.surface_ascii
    tokens = surface.data[: surface.size].tobytes().decode()
    found = tokens.translate(_REMOVE_WHITE_SPACE)
    expected = text.translate(_REMOVE_WHITE_SPACE)
    if found == expected:
        return Report(treebank.name)
    place = _first_difference(found, expected)
    token = _token_at(surface, tokens, place)
    row = int(treebank.token_rows[min(token, treebank.tokens - 1)])
    incident = Incident(
        "text-differs",
        int(treebank.layout.line[row]) + 1,
        int(treebank.layout.sentence[row]) + 1,
        _excerpt(found, place),
        _excerpt(expected, place),
        _advice(found, expected, place, _place_in_text(text, place)),
    )
    return Report(treebank.name, (incident,), {"text-differs": 1})


def _white_space(treebank: Treebank, profile: str, limits: Limits) -> Report:
    """The report of tokens that keep white space under the profile's rule."""
    surface = treebank.surface(PROFILES[profile].spaces)
    found = occurrences(surface.data, tuple(map(str.encode, WHITE_SPACE)))
    places = np.concatenate([surface.start[:0], *found.values()])
    forms = treebank.token_forms

    def describe(token: int) -> Incident:
        row = int(treebank.token_rows[token])
        where = int(treebank.layout.line[row]) + 1, int(treebank.layout.sentence[row]) + 1
        shown = f"“{visible(forms.text_at(token))}”"
        return Incident("white-space-in-token", *where, shown, f"no white space that {profile} keeps")

    collector = Collector(treebank.name, limits.max_incidents_per_kind)
    tokens = np.unique(np.searchsorted(surface.start, places, side="right") - 1)
    collector.add("white-space-in-token", tokens, describe)
    return collector.report


def _first_difference(left: str, right: str) -> int:
    """Where two different strings part, by halving: comparing prefixes is much faster than looping."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _token_at(surface: Surface, tokens: str, place: int) -> int:
    """The token that holds the character that is number `place` when white space is not counted."""
    byte = len(tokens[: _place_in_text(tokens, place)].encode())
    return int(np.searchsorted(surface.start, byte, side="right")) - 1


def _place_in_text(text: str, place: int) -> int:
    """From a position that does not count white space to one that does."""
    begin = 0
    while begin < len(text):
        piece = text[begin : begin + _PIECE]
        counted = len(piece.translate(_REMOVE_WHITE_SPACE))
        if counted > place:
            break
        place -= counted
        begin += _PIECE
    for position in range(begin, min(begin + _PIECE, len(text))):
        if text[position] not in WHITE_SPACE:
            if not place:
                return position
            place -= 1
    return len(text)


def _excerpt(text: str, place: int) -> str:
    begin = max(0, place - 4)
    part = text[begin : begin + _SHOWN]
    return f"“{visible(part)}”" if place < len(text) else "the end of the text"


def _advice(found: str, expected: str, place: int, position: int) -> str:
    said = f"Your tokens leave the raw text at character {position + 1:,} of it."
    if place == len(found):
        return f"{said} The file seems to end too early."
    if place == len(expected):
        return f"{said} The file goes on where the text ends."
    return f"{said} {why_unlike(found, expected, place)}".rstrip()

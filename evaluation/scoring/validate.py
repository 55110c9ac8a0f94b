"""Check a file without gold: its format, and its characters against the released raw text.

Both sides are compared without any Unicode white space. Scoring removes less of it, so a token must not
contain white space that scoring would treat as a character.
"""

from __future__ import annotations

import codecs
import os
from pathlib import Path

from ..reading.characters import find_characters, marked_groups
from ..reading.compare_text import WHITE_SPACE_BYTES, compare_with_raw_text
from ..reading.formats import Format
from ..reading.incidents import Collector, Incident, InvalidFile, Report, visible_bytes
from ..reading.kinds import TOO_MUCH_MEMORY
from ..reading.read import DEFAULT_LIMITS, examine, read
from ..reading.source import Limits, Source, source_name
from ..reading.treebank import Treebank
from .given_tokens import compare_tokens
from .options import Options
from .profiles import find_profile, format_of

_PIECE = 1 << 20


def validate(
    source: Source,
    *,
    text: str | bytes | os.PathLike[str] | None = None,
    profile: str = "conll18",
    name: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    reader: str = "",
    tokens: Source | None = None,
) -> Report:
    """Report every error in a file. `text` is the raw text it must reproduce: a string, bytes or a path.

    `tokens` is an input file whose words and sentences it must keep, for tasks that give tokens; `reader` is
    the format of both files, if it is not that of the profile.

    >>> report = validate(b"1\\tHello\\t_\\t_\\t_\\t_\\t2\\troot\\t_\\t_\\n\\n")
    >>> report.valid, [incident.id for incident in report.incidents]
    (False, ['head-outside'])
    """
    try:
        format = format_of(find_profile(profile), Options(reader=reader))
        given = None if tokens is None else read(tokens, format=format.without_trees)
        return _validate(source, text, profile, name, limits, format, given)
    except MemoryError:
        # Reported below: the memory is free only after this block.
        pass
    found, expected = "a file that exceeds the memory limit", "a file that can be checked within it"
    incident = Incident(TOO_MUCH_MEMORY, None, None, found, expected)
    return Report(source_name(source, name), (incident,), {TOO_MUCH_MEMORY: 1})


def _validate(
    source: Source,
    text: str | bytes | os.PathLike[str] | None,
    profile: str,
    name: str | None,
    limits: Limits,
    format: Format,
    given: Treebank | None,
) -> Report:
    treebank, report = examine(source, name=name, limits=limits, format=format)
    if treebank is None:
        return report
    try:
        treebank.surface(find_profile(profile).spaces)
    except InvalidFile as refusal:
        return report.merged_with(refusal.report)
    if given is not None:
        report = report.merged_with(compare_tokens(given, treebank))
    if text is None:
        return report
    white_space = _check_white_space(treebank, profile, limits)
    return report.merged_with(compare_with_raw_text(treebank, _encode_text(text))).merged_with(white_space)


def check_test_set(gold: Treebank, text: str, profile: str) -> Report:
    """Check that the character checks of `validate` and of scoring cannot disagree on this test set.

    They could if a gold token keeps a white space character under the profile's rule (for example U+00A0
    under `conll17`): `validate` ignores a character that scoring compares.
    """
    return compare_with_raw_text(gold, _encode_text(text)).merged_with(
        _check_white_space(gold, profile, DEFAULT_LIMITS)
    )


def decode_text(text: str | bytes | os.PathLike[str]) -> str:
    """Raw text as a string, without a byte-order mark at its beginning."""
    if isinstance(text, os.PathLike):
        text = Path(text).read_bytes()
    return text.decode("utf-8-sig") if isinstance(text, bytes) else text


def _encode_text(text: str | bytes | os.PathLike[str]) -> bytes:
    """Raw text as UTF-8; raises UnicodeDecodeError for bytes that are not UTF-8."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, os.PathLike):
        text = Path(text).read_bytes()
    decoder = codecs.getincrementaldecoder("utf-8")()
    for begin in range(0, len(text), _PIECE):
        decoder.decode(text[begin : begin + _PIECE])
    decoder.decode(b"", final=True)
    return text.removeprefix(codecs.BOM_UTF8)


def _check_white_space(treebank: Treebank, profile: str, limits: Limits) -> Report:
    """Report tokens that keep white space under the profile's rule."""
    surface = treebank.surface(find_profile(profile).spaces)
    spaces = find_characters(surface.data, WHITE_SPACE_BYTES)
    if spaces is None:
        return Report(treebank.name)
    forms = treebank.token_forms

    def describe(token: int) -> Incident:
        row = int(treebank.token_rows[token])
        where = int(treebank.layout.line[row]) + 1, int(treebank.layout.sentence[row]) + 1
        found = f"“{visible_bytes(forms.bytes_at(token))}”"
        return Incident("white-space-in-token", *where, found, f"no white space that {profile} keeps")

    collector = Collector(treebank.name, limits.max_incidents_per_kind)
    for tokens in marked_groups(spaces, surface.start):
        collector.add("white-space-in-token", tokens, describe)
    return collector.report

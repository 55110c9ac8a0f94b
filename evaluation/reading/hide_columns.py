"""The input of a task that gives tokens, made from gold: every column that is not given is `_`.

In: a gold file and its format. Out: the bytes of the input. Empty nodes are annotation and are left out, and
so are comments, except those that name documents, paragraphs and sentences or repeat their text.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from .formats import Format
from .source import Limits, Source, load, source_name

ALWAYS_GIVEN = ("ID", "FORM")
_COMMENT = re.compile(rb"#[ \t]*(?:newdoc|newpar|sent_id|text)(?![\w-])")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def hide_columns(
    source: Source, format: Format, *, given: Collection[str] = (), limits: Limits | None = None
) -> bytes:
    """`given` are the columns that are shown besides ID and FORM; the file must be valid.

    >>> from .formats import CONLLU
    >>> gold = b"# author = Ash\\n1\\tBees\\tbee\\tNOUN\\t_\\t_\\t0\\troot\\t0:root\\tGloss=x\\n\\n"
    >>> hide_columns(gold, CONLLU, given=["UPOS"])
    b'1\\tBees\\t_\\tNOUN\\t_\\t_\\t_\\t_\\t_\\t_\\n\\n'
    """
    raw = bytes(load(source, name=source_name(source, None), limits=limits or Limits()))
    text = raw.removeprefix(_BYTE_ORDER_MARK).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    is_given = [name in ALWAYS_GIVEN or name in given for name in format.columns]
    lines = (_hide(line, is_given) for line in text.split(b"\n"))
    return b"\n".join(line for line in lines if line is not None)


def _hide(line: bytes, is_given: list[bool]) -> bytes | None:
    """None for a line that is left out."""
    if not line:
        return line
    if line.startswith(b"#"):
        return line if _COMMENT.match(line) else None
    columns = line.split(b"\t")
    if b"." in columns[0]:
        return None
    return b"\t".join(value if given else b"_" for value, given in zip(columns, is_given, strict=True))

"""The nine columns of PASCAL 2012, rearranged as the ten of CoNLL-U, line by line.

CPOSTAG goes to the last column, POSTAG is XPOS, UPOSTAG is UPOS, and DEPS is empty. Every other line gets one
more column, so that it still has the wrong number.
"""

from __future__ import annotations

# Lines are split this many bytes at a time, which bounds the memory for any file.
_PIECE = 1 << 19
_COLUMNS = 9


def rearrange_nine_columns(raw: bytearray) -> bytearray:
    """The same lines with ten columns.

    >>> bytes(rearrange_nine_columns(bytearray(b"1\\ta\\t_\\tN\\tNN\\tNOUN\\t_\\t0\\troot\\n\\nx\\n")))
    b'1\\ta\\t_\\tNOUN\\tNN\\t_\\t0\\troot\\t_\\tN\\n\\nx\\t\\n'
    """
    result = bytearray()
    begin = 0
    while begin < len(raw):
        end = raw.find(b"\n", min(begin + _PIECE, len(raw))) + 1 or len(raw)
        lines = bytes(raw[begin:end]).split(b"\n")
        result += b"\n".join(map(_rearrange, lines))
        begin = end
    return result


def _rearrange(line: bytes) -> bytes:
    if not line or line.startswith(b"#"):
        return line
    parts = line.split(b"\t")
    if len(parts) != _COLUMNS:
        return line + b"\t"
    id, form, lemma, coarse, fine, universal, features, head, relation = parts
    return b"\t".join((id, form, lemma, universal, fine, features, head, relation, b"_", coarse))

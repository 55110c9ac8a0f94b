"""Large files of every kind that could use more memory than others of the same size.

Each entry of `KINDS` produces a file of about a given number of bytes. Lines are as short as their kind
allows, because the memory per line matters most where lines are short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

WORD = b"1\ta\t\t\t\t\t0\t\t\t\n"
# Shorter than the longest line that the reader accepts, so that the line is looked at.
LONGEST_LINE = 15_900_000

Maker = Callable[[int], bytes]


def repeated(piece: bytes, *, before: bytes = b"", after: bytes = b"") -> Maker:
    return lambda size: before + piece * ((size - len(before) - len(after)) // len(piece)) + after


def one_line(piece: bytes, *, before: bytes = b"", after: bytes = b"\n\n") -> Maker:
    return lambda size: before + piece * (min(size, LONGEST_LINE) // len(piece)) + after


def one_form(piece: bytes, *, first: bytes = b"a") -> Maker:
    """One word whose FORM is most of the file."""
    return one_line(piece, before=b"1\t" + first, after=b"\t\t\t\t\t0\t\t\t\n\n")


def one_sentence(lines: Callable[[int], bytes]) -> Maker:
    """One sentence of numbered words: `lines` makes the lines of the word with a given ID."""

    def make(size: int) -> bytes:
        return b"".join(_until(size, lines)) + b"\n"

    return make


def _until(size: int, lines: Callable[[int], bytes]) -> Iterator[bytes]:
    result, number = 0, 1
    while result < size:
        piece = lines(number)
        yield piece
        result += len(piece)
        number += 1


def word(id: int, head: int) -> bytes:
    return b"%d\ta\t\t\t\t\t%d\t\t\t\n" % (id, head)


def sentence_of(words: int) -> bytes:
    return b"".join(word(id, id - 1) for id in range(1, words + 1)) + b"\n"


KINDS: dict[str, Maker] = {
    # Lines that are no words.
    "x": repeated(b"x\n"),
    "x in sentences": repeated(b"x\n\n"),
    "x with carriage returns": repeated(b"x\r\n"),
    "blank lines": repeated(b"\n"),
    "blank lines behind a sentence": repeated(b"\n", before=WORD + b"\n"),
    "carriage returns": repeated(b"\r"),
    "comments": repeated(b"#\n", after=WORD + b"\n"),
    "comments in blocks": repeated(b"#\n\n"),
    "comments inside a sentence": repeated(b"#\n", before=WORD, after=b"\n"),
    "comments between lines": repeated(b"x\n#\n"),
    "documents": repeated(b"# newdoc\n", after=WORD + b"\n"),
    "bytes that are not UTF-8": repeated(b"\xff\n"),
    # Lines of tabs, with and without ten columns.
    "single tabs": repeated(b"\t\n"),
    "nine tabs": repeated(b"\t" * 9 + b"\n"),
    "nine tabs in sentences": repeated(b"\t" * 9 + b"\n\n"),
    "ten tabs": repeated(b"\t" * 10 + b"\n"),
    # One long line.
    "a line without an end": lambda size: b"x" * size,
    "a line of tabs": one_line(b"\t"),
    "a line of spaces": one_line(b" "),
    "a line of single letters": one_line(b"x "),
    "a line that is not UTF-8": one_line(b"\xff"),
    "a comment": one_line(b"x", before=b"#", after=b"\n" + WORD + b"\n"),
    "a comment inside a sentence": one_line(b"x", before=WORD + b"#"),
    "an ID": one_line(b"1", after=WORD),
    "an ID of marks": one_line(b"-1", after=WORD),
    "a HEAD": one_line(b"1", before=WORD[:7], after=b"\t\t\t\n\n"),
    "a form": one_form(b"x"),
    "a form of wide characters": one_form("𝒳".encode()),
    "a form with one wide character": one_form(b"x", first="𝒳".encode()),
    "a form of spaces": one_form(b" "),
    "a form of no-break spaces": one_form("\u00a0".encode()),
    "a form of line separators": one_form("\u2028".encode()),
    "a form of vertical tabs": one_form(b"\v"),
    # Words, as short as they can be.
    "words": repeated(WORD + b"\n"),
    "words of a usual length": repeated(
        b"1\tHello\thello\tINTJ\tUH\tCase=Nom|Number=Sing\t0\troot\t_\tSpaceAfter=No\n\n"
    ),
    "words without a form": repeated(WORD.replace(b"a", b"") + b"\n"),
    "words of a space": repeated(WORD.replace(b"a", b" ") + b"\n"),
    "words of a no-break space": repeated(WORD.replace(b"a", "\u00a0".encode()) + b"\n"),
    "words of a vertical tab": repeated(WORD.replace(b"a", b"\v") + b"\n"),
    "words without a head": repeated(b"1" + b"\t" * 9 + b"\n\n"),
    "words of one sentence without numbers": repeated(WORD),
    "words beside lines that are none": repeated(WORD + b"\nx\n"),
    "numbers": one_sentence(lambda id: b"%d\n" % id),
    "ones": repeated(b"1\n"),
    "ones in sentences": repeated(b"1\n\n"),
    "numbers of many digits": repeated(b"1" * 20 + b"\n"),
    "malformed IDs": repeated(b"x" + WORD[1:] + b"\n"),
    "IDs with a leading zero": repeated(b"01\n"),
    "lines of seven columns": repeated(b"1\t\t\t\t\t\t0\n"),
    # Trees.
    "sentences of a thousand words": repeated(sentence_of(1000)),
    "a flat tree": one_sentence(lambda id: word(id, min(id - 1, 1))),
    "a deep tree": one_sentence(lambda id: word(id, id - 1)),
    "a deep tree from its end": one_sentence(lambda id: word(id, id + 1)),
    "roots": one_sentence(lambda id: word(id, 0)),
    "sentences with two roots": repeated(WORD + word(2, 0) + b"\n"),
    "sentences without a root": repeated(word(1, 1) + b"\n"),
    "cycles": repeated(WORD + word(2, 3) + word(3, 2) + b"\n"),
    "heads outside": repeated(word(1, 9) + b"\n"),
    "negative heads": repeated(WORD.replace(b"0", b"-1") + b"\n"),
    # Ranges and empty nodes.
    "ranges": repeated(b"1-1\ta" + b"\t" * 8 + b"\n1\t\t\t\t\t\t0\t\t\t\n\n"),
    "ranges in one sentence": one_sentence(
        lambda id: b"%d-%d\ta%b\n" % (id, id, b"\t" * 8) + word(id, id - 1)
    ),
    "ranges of words without a form": repeated(
        b"1-2\ta" + b"\t" * 8 + b"\n1\t\t\t\t\t\t0\t\t\t\n2\t\t\t\t\t\t1\t\t\t\n\n"
    ),
    "ranges alone": repeated(b"1-2\n"),
    "ranges alone in sentences": repeated(b"1-2\n\n"),
    "ranges backwards": repeated(b"2-1\n"),
    "ranges without columns": repeated(b"1-1\n1\n\n"),
    "ranges without columns in one sentence": one_sentence(lambda id: b"%d-%d\n%d\n" % (id, id, id)),
    "ranges that are too long": repeated(b"1-99999999" + b"\t" * 9 + b"\n"),
    "empty nodes": repeated(b"0.1\n"),
    "empty nodes with columns": repeated(b"0.1" + b"\t" * 9 + b"\n"),
    "empty nodes out of place": repeated(b"1.1\n"),
}

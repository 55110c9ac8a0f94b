"""Random pairs of files with the same characters, small and odd, from a source of small choices.

`choose(n)` gives a number below n; 0 is always the plainest choice. Hypothesis chooses in the tests, so that
it can shrink what fails; the long runs of `make fuzz` let a seeded generator choose, which is much faster.
The alphabets are small, so that equal forms, ties between subsequences and agreement by chance are common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Choose = Callable[[int], int]

# İ grows when it is lower-cased, Σ depends on what follows it, 𝒳 is beyond U+FFFF, U+0301 combines, U+200B is
# no space, and U+2028, U+0085 and the vertical tab are no line ends.
CHARACTERS = "aabbABcİißΣσς.-𝒳\u0301\u200b\u2028\x85\x0b#"
SPACES = (" ", "  ", "\u00a0", "\u3000")
INNER_FORMS = ("a", "b", "A", "ab", "", "a b", "a\u00a0b", "İ", "i̇", "ΑΣ", "ας", "ß", "SS", "_", ".", "a  b")
LEMMAS = ("a", "_", "b", "A", "")
TAGS = ("X", "Y", "_", "")
FEATS = (
    "_",
    "Case=Nom",
    "Case=Nom|Number=Sing",
    "Number=Sing|Case=Nom",
    "Case=Nom|Case=Nom",
    "Gender[psor]=Fem",
    "Foo=Bar",
    "Case",
    "Casex=Nom|Case=Nom",
    "Case=Nom|Foo=Bar",
)
RELATIONS = (
    "nsubj",
    "case",
    "punct",
    "nsubj:pass",
    "det",
    "aux:pass",
    "conj",
    "unheard",
    ":",
    "clf",
    "",
    "det:x:y",
    "vocative:subtype",
    "vocative:subtypes",
)
COMMENTS = ("# text = a b", "#", "# newdoc", "#1\ta\t_\t_\t_\t_\t0\troot\t_\t_", "# 1-2\tab")


@dataclass(frozen=True)
class Shape:
    """How large and how odd the drawn files are."""

    characters: int = 14
    line_ends: tuple[str, ...] = ("\n", "\n", "\n", "\r\n", "\r")
    spaces: tuple[str, ...] = SPACES


USUAL = Shape()


def draw_pair(choose: Choose, shape: Shape = USUAL) -> tuple[bytes, bytes]:
    """Two valid files with the same characters (but for spaces that only some rule removes)."""
    size = 1 + choose(shape.characters)
    characters = [CHARACTERS[choose(len(CHARACTERS))] for _ in range(size)]
    cuts = [choose(3) == 0 for _ in range(size - 1)]
    breaks = [cut and choose(4) == 3 for cut in cuts]
    # The other side mostly cuts where this one does.
    other_cuts = [cut ^ (choose(5) == 4) for cut in cuts]
    other_breaks = [cut and (brk ^ (choose(5) == 4)) for cut, brk in zip(other_cuts, breaks, strict=True)]
    return (
        _Writer(choose, shape).write(characters, cuts, breaks),
        _Writer(choose, shape).write(characters, other_cuts, other_breaks),
    )


class _Writer:
    def __init__(self, choose: Choose, shape: Shape) -> None:
        self._choose = choose
        self._shape = shape

    def write(self, characters: list[str], cuts: list[bool], breaks: list[bool]) -> bytes:
        sentences: list[list[str]] = [[]]
        form = ""
        for place, character in enumerate(characters):
            form += character
            if place == len(cuts) or cuts[place]:
                sentences[-1].append(self._with_spaces(form))
                form = ""
                if place < len(cuts) and breaks[place]:
                    sentences.append([])
        lines: list[str] = []
        for forms in sentences:
            if self._choose(4) == 3:
                lines.append(COMMENTS[self._choose(len(COMMENTS))])
            lines += [*self._sentence(forms), ""]
        if self._choose(12) == 11:
            lines.append(COMMENTS[0])
        end = self._shape.line_ends[self._choose(len(self._shape.line_ends))]
        return end.join([*lines, ""]).encode()

    def _with_spaces(self, form: str) -> str:
        if self._choose(8) != 7:
            return form
        place = self._choose(len(form) + 1)
        return form[:place] + self._shape.spaces[self._choose(len(self._shape.spaces))] + form[place:]

    def _sentence(self, forms: list[str]) -> list[str]:
        choose = self._choose
        sizes = [1 + choose(3) if choose(3) == 2 else 0 for _ in forms]
        heads = self._heads(sum(max(size, 1) for size in sizes))
        lines = []
        word = 0
        for form, size in zip(forms, sizes, strict=True):
            if size:
                lines.append(f"{word + 1}-{word + size}\t{form}" + "\t_" * 8)
            for _ in range(max(size, 1)):
                if choose(10) == 9:
                    lines.append(f"{word}.{1 + choose(2)}\t" + "\t".join("_a_______"))
                inner = INNER_FORMS[choose(len(INNER_FORMS))] if size else form
                lines.append(f"{word + 1}\t{inner}\t{self._annotation(heads[word])}")
                word += 1
        return lines

    def _heads(self, words: int) -> list[int]:
        """A random tree: in a random order, each word hangs from one of those before it."""
        order = list(range(1, words + 1))
        for place in range(words - 1, 0, -1):
            other = place - self._choose(place + 1)
            order[place], order[other] = order[other], order[place]
        heads = [0] * words
        for place in range(1, words):
            heads[order[place] - 1] = order[self._choose(place)]
        return heads

    def _annotation(self, head: int) -> str:
        """LEMMA to MISC; all in one choice, because every choice of Hypothesis costs."""
        rest = self._choose(len(LEMMAS) * len(TAGS) ** 2 * len(FEATS) * len(RELATIONS))
        columns = []
        for values in (LEMMAS, TAGS, TAGS, FEATS, RELATIONS):
            rest, place = divmod(rest, len(values))
            columns.append(values[place])
        lemma, upos, xpos, feats, relation = columns
        return "\t".join((lemma, upos, xpos, feats, str(head), relation, "_", "_"))

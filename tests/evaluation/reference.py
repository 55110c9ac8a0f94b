"""A slow and obvious evaluator, written from the definitions of the metrics and from nothing else.

One object per word, one step at a time, no arrays: the fast evaluator must agree with it on every input. It
stops at the first error in a file, so it knows whether a file is valid, but not all of its errors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

CONTENT_18 = {
    *("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl"),
    *("advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound"),
    *("list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"),
}
FUNCTIONAL_18 = {"aux", "cop", "mark", "det", "clf", "case", "cc"}
NOT_CONTENT_17 = {"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"}
UNIVERSAL_FEATURES = {
    *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case"),
    *("Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person"),
    "Polite",
}
NUMBER = "(?:0|[1-9][0-9]*)"


class Invalid(Exception):
    """The file, or the pair of files, cannot be scored."""


@dataclass(eq=False)
class Token:
    start: int
    end: int
    sentence: int


@dataclass(eq=False)
class Word:
    token: Token
    in_range: bool
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    parent: Word | None = None
    functional_children: list[Word] = field(default_factory=list)

    @property
    def relation(self) -> str:
        return self.deprel.split(":")[0]


@dataclass
class File:
    characters: str = ""
    tokens: list[Token] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    sentences: list[Token] = field(default_factory=list)


def without_spaces(form: str, profile: str) -> str:
    if profile == "conll17":
        return form.replace(" ", "")
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


def read(data: bytes, profile: str) -> File:
    """Read a file, or raise Invalid at its first error."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid("not UTF-8") from error
    if text.startswith("\ufeff"):
        raise Invalid("byte-order mark")
    file = File()
    block: list[list[str]] = []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    # What follows the last line end is a line only if it is not empty.
    for line in lines if lines[-1] else lines[:-1]:
        if line == "":
            _read_sentence(block, file, profile)
            block = []
        elif not (line.startswith("#") and not block):
            columns = line.split("\t")
            if len(columns) != 10 or line.startswith("#"):
                raise Invalid("wrong columns")
            block.append(columns)
    if block:
        raise Invalid("no final blank line")
    if not file.sentences:
        raise Invalid("empty file")
    return file


def _read_sentence(block: list[list[str]], file: File, profile: str) -> None:
    words: list[Word] = []
    begin = len(file.characters)
    token: Token | None = None
    range_end = 0
    for columns in block:
        id, form, lemma, upos, xpos, feats, head, deprel = columns[:8]
        if re.fullmatch(rf"{NUMBER}\.{NUMBER}", id):
            continue
        next_id = len(words) + 1
        if span := re.fullmatch(f"({NUMBER})-({NUMBER})", id):
            low, high = _value(span[1]), _value(span[2])
            if next_id <= range_end or low != next_id or high < low or high - low >= 100:
                raise Invalid("bad range")
            range_end = high
            token = _token(file, form, profile)
            continue
        if not re.fullmatch(NUMBER, id) or _value(id) != next_id:
            raise Invalid("bad ID")
        in_range = next_id <= range_end
        if not in_range:
            form = without_spaces(form, profile)
            token = _token(file, form, profile)
        if not re.fullmatch(NUMBER, head):
            raise Invalid("bad HEAD")
        assert token is not None
        words.append(Word(token, in_range, form, lemma, upos, xpos, feats, head, deprel))
    if range_end > len(words):
        raise Invalid("range past its sentence")
    if not words:
        raise Invalid("empty sentence")
    _plant(words)
    file.words.extend(words)
    file.sentences.append(Token(begin, len(file.characters), len(file.sentences)))


def _value(number: str) -> int:
    """Python refuses to convert thousands of digits; no sentence is as long as a billion words."""
    return int(number) if len(number) < 10 else 10**9


def _token(file: File, form: str, profile: str) -> Token:
    characters = without_spaces(form, profile)
    if not characters:
        raise Invalid("empty FORM")
    begin = len(file.characters)
    file.characters += characters
    file.tokens.append(Token(begin, len(file.characters), len(file.sentences)))
    return file.tokens[-1]


def _plant(words: list[Word]) -> None:
    for word in words:
        head = _value(word.head)
        if head > len(words):
            raise Invalid("HEAD outside")
        word.parent = words[head - 1] if head else None
    if sum(word.parent is None for word in words) != 1:
        raise Invalid("not one root")
    safe: set[Word | None] = {None}
    for word in words:
        path: list[Word] = []
        on_path: set[Word] = set()
        step: Word | None = word
        while step not in safe:
            assert step is not None
            if step in on_path:
                raise Invalid("cycle")
            path.append(step)
            on_path.add(step)
            step = step.parent
        safe.update(path)
    for word in words:
        if word.parent is not None and word.relation in FUNCTIONAL_18:
            word.parent.functional_children.append(word)


def align(gold: list[Word], system: list[Word]) -> list[tuple[Word, Word]]:
    """The pairs of aligned words."""
    pairs: list[tuple[Word, Word]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        left, right = gold[g], system[s]
        if left.in_range or right.in_range:
            # One side may lag behind the range that opens the region; it is moved on by one word only.
            if left.in_range:
                end = left.token.end
                if not right.in_range and right.token.start < left.token.start:
                    s += 1
            else:
                end = right.token.end
                if left.token.start < right.token.start:
                    g += 1
            g_begin, s_begin = g, s
            while _inside(gold, g, end) or _inside(system, s, end):
                if g < len(gold) and (s == len(system) or gold[g].token.start <= system[s].token.start):
                    word = gold[g]
                    g += 1
                else:
                    word = system[s]
                    s += 1
                if word.in_range:
                    end = max(end, word.token.end)
            pairs.extend(_subsequence(gold[g_begin:g], system[s_begin:s]))
        elif (left.token.start, left.token.end) == (right.token.start, right.token.end):
            pairs.append((left, right))
            g += 1
            s += 1
        elif left.token.start <= right.token.start:
            g += 1
        else:
            s += 1
    return pairs


def _inside(words: list[Word], place: int, end: int) -> bool:
    if place == len(words):
        return False
    word = words[place]
    return word.token.start < end if word.in_range else word.token.end <= end


def _subsequence(gold: list[Word], system: list[Word]) -> Iterator[tuple[Word, Word]]:
    left, right = [w.form.lower() for w in gold], [w.form.lower() for w in system]
    length = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for g in reversed(range(len(left))):
        for s in reversed(range(len(right))):
            equal = length[g + 1][s + 1] + 1 if left[g] == right[s] else 0
            length[g][s] = max(equal, length[g + 1][s], length[g][s + 1])
    g = s = 0
    while g < len(left) and s < len(right):
        if left[g] == right[s]:
            yield gold[g], system[s]
            g += 1
            s += 1
        elif length[g][s] == length[g + 1][s]:
            g += 1
        else:
            s += 1


Count = tuple[int, int, int, int | None]
ByUnit = dict[str, list[list[int]]]


@dataclass
class Reference:
    """The counts of one pair of files: by gold sentence, and so in all."""

    gold: bytes
    system: bytes
    profile: str
    punctuation: str = "all"
    subtypes: bool = False

    def __post_init__(self) -> None:
        gold, system = read(self.gold, self.profile), read(self.system, self.profile)
        if gold.characters != system.characters:
            raise Invalid("characters differ")
        self._gold, self._system = gold, system
        self.pairs = align(gold.words, system.words)
        self._partner = {id(s): g for g, s in self.pairs}
        self.by_unit: ByUnit = {}
        self._spans("Tokens", gold.tokens, system.tokens)
        self._spans("Sentences", gold.sentences, system.sentences)
        self._words_metrics()

    @property
    def totals(self) -> dict[str, Count]:
        result: dict[str, Count] = {}
        for name, units in self.by_unit.items():
            gold, system, correct, aligned = (sum(unit[i] for unit in units) for i in range(4))
            has_accuracy = name not in ("Tokens", "Sentences", "Words")
            result[name] = gold, system, correct, aligned if has_accuracy else None
        return result

    def _unit_of_place(self, place: int) -> int:
        return next(s.sentence for s in self._gold.sentences if s.start <= place < s.end)

    def _count(self, name: str) -> list[list[int]]:
        self.by_unit[name] = [[0, 0, 0, 0] for _ in self._gold.sentences]
        return self.by_unit[name]

    def _spans(self, name: str, gold: list[Token], system: list[Token]) -> None:
        counts = self._count(name)
        there = {(span.start, span.end) for span in system}
        for span in gold:
            counts[span.sentence][0] += 1
            if (span.start, span.end) in there:
                counts[span.sentence][2] += 1
                counts[span.sentence][3] += 1
        for span in system:
            counts[self._unit_of_place(span.start)][1] += 1

    def _metric(self, name: str, agree: Callable[[Word, Word], bool], keep: Callable[[Word], bool]) -> None:
        counts = self._count(name)
        for word in self._gold.words:
            counts[word.token.sentence][0] += keep(word)
        for word in self._system.words:
            counts[self._unit_of_place(word.token.start)][1] += keep(word)
        for gold, system in self.pairs:
            if keep(gold):
                counts[gold.token.sentence][2] += agree(gold, system)
                counts[gold.token.sentence][3] += 1

    def _words_metrics(self) -> None:
        is_17 = self.profile == "conll17"

        def everything(word: Word) -> bool:
            return True

        def content(word: Word) -> bool:
            return word.relation not in NOT_CONTENT_17 if is_17 else word.relation in CONTENT_18

        def counted(word: Word) -> bool:
            if self.punctuation == "relation":
                return word.relation != "punct"
            if self.punctuation == "form":
                form = without_spaces(word.form, self.profile)
                return any(not unicodedata.category(c).startswith("P") for c in form)
            return True

        def attached(g: Word, s: Word) -> bool:
            return self._heads_agree(g, s) and self._deprel(g) == self._deprel(s)

        def lemma(g: Word, s: Word) -> bool:
            return (g.lemma == "_" and not is_17) or g.lemma == s.lemma

        self._metric("Words", lambda g, s: True, everything)
        self._metric("UPOS", lambda g, s: g.upos == s.upos, everything)
        self._metric("XPOS", lambda g, s: g.xpos == s.xpos, everything)
        self._metric(
            "Feats" if is_17 else "UFeats", lambda g, s: self._feats(g) == self._feats(s), everything
        )
        self._metric(
            "AllTags",
            lambda g, s: (g.upos, g.xpos, self._feats(g)) == (s.upos, s.xpos, self._feats(s)),
            everything,
        )
        self._metric("Lemmas", lemma, everything)
        self._metric("UAS", self._heads_agree, counted)
        self._metric("LAS", attached, counted)
        self._metric("CLAS", attached, content)
        if not is_17:
            self._metric("MLAS", lambda g, s: attached(g, s) and self._morphology(g, s), content)
            self._metric("BLEX", lambda g, s: attached(g, s) and lemma(g, s), content)
        self._metric("LA", lambda g, s: self._deprel(g) == self._deprel(s), counted)

    def _deprel(self, word: Word) -> str:
        return word.deprel if self.subtypes else word.relation

    def _feats(self, word: Word) -> object:
        if self.profile == "conll17":
            return word.feats
        return sorted(f for f in word.feats.split("|") if f.split("=")[0] in UNIVERSAL_FEATURES)

    def _heads_agree(self, gold: Word, system: Word) -> bool:
        if gold.parent is None or system.parent is None:
            return gold.parent is system.parent
        return self._partner.get(id(system.parent)) is gold.parent

    def _morphology(self, gold: Word, system: Word) -> bool:
        def described(word: Word, partner: Word | None) -> object:
            return partner, self._deprel(word), word.upos, self._feats(word)

        def own(word: Word) -> object:
            return word.upos, self._feats(word)

        return own(gold) == own(system) and [described(c, c) for c in gold.functional_children] == [
            described(c, self._partner.get(id(c))) for c in system.functional_children
        ]

"""Editable CoNLL-U: words refer to their heads as objects, so that nothing needs renumbering.

In: the text of a valid file. Out: sentences of tokens of words, which can be written as text again. This is
for making demo files from gold, with the parser and writer of `conllu`; untrusted files are read by
`evaluation`, which reports errors with their lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import conllu

EMPTY_COLUMNS = dict.fromkeys(
    ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
)
"""The ten columns in order, all empty, as for a multi-word token."""


@dataclass(eq=False, kw_only=True)
class Word:
    form: str
    lemma: str
    upos: str
    xpos: str | None
    feats: dict[str, str] | None
    deprel: str
    head: Word | None = None


@dataclass(eq=False, kw_only=True)
class Token:
    """A surface token: one word, or several when it is a multi-word token."""

    form: str
    words: list[Word]
    is_multiword: bool
    space_after: bool


@dataclass(eq=False, kw_only=True)
class Sentence:
    tokens: list[Token] = field(default_factory=list)

    @property
    def words(self) -> list[Word]:
        return [word for token in self.tokens for word in token.words]

    @property
    def root(self) -> Word:
        return next(word for word in self.words if word.head is None)


def parse(text: str) -> list[Sentence]:
    """Read valid CoNLL-U without empty nodes, comments and enhanced dependencies."""
    return [build_sentence(rows) for rows in conllu.parse(text)]


def build_sentence(rows: conllu.TokenList) -> Sentence:
    sentence = Sentence()
    words = {row["id"]: build_word(row) for row in rows if isinstance(row["id"], int)}
    inside_until = 0
    for row in rows:
        space_after = (row["misc"] or {}).get("SpaceAfter") != "No"
        if isinstance(row["id"], tuple):
            first, separator, last = row["id"]
            if separator == "-":
                inside_until = last
                inside = [words[number] for number in range(first, last + 1)]
                sentence.tokens.append(
                    Token(form=row["form"], words=inside, is_multiword=True, space_after=space_after)
                )
            continue
        words[row["id"]].head = words.get(row["head"])
        if row["id"] > inside_until:
            sentence.tokens.append(
                Token(
                    form=row["form"],
                    words=[words[row["id"]]],
                    is_multiword=False,
                    space_after=space_after,
                )
            )
    return sentence


def build_word(row: conllu.Token) -> Word:
    return Word(**{name: row[name] for name in ("form", "lemma", "upos", "xpos", "feats", "deprel")})


def write(sentence: Sentence) -> str:
    numbers = {word: number for number, word in enumerate(sentence.words, start=1)}
    rows = []
    for token in sentence.tokens:
        misc = None if token.space_after else {"SpaceAfter": "No"}
        if token.is_multiword:
            ends = (numbers[token.words[0]], "-", numbers[token.words[-1]])
            rows.append(conllu.Token(EMPTY_COLUMNS, id=ends, form=token.form, misc=misc))
        rows += [
            conllu.Token(
                id=numbers[word],
                form=word.form,
                lemma=word.lemma,
                upos=word.upos,
                xpos=word.xpos,
                feats=word.feats,
                head=0 if word.head is None else numbers[word.head],
                deprel=word.deprel,
                deps=None,
                misc=None if token.is_multiword else misc,
            )
            for word in token.words
        ]
    return str(conllu.TokenList(rows).serialize())


def depth(word: Word) -> int:
    steps = 0
    while word.head is not None:
        word = word.head
        steps += 1
    return steps


def descends_from(word: Word | None, top: Word) -> bool:
    while word is not None:
        if word is top:
            return True
        word = word.head
    return False

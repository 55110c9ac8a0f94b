"""CoNLL-U as it is edited: words hold their heads as references, so that nothing needs renumbering.

In: the text of a valid file. Out: sentences of tokens of words, and from these a text again. This is for
making demo files out of gold; files from outside are read by `evaluation`.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False, kw_only=True)
class Word:
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
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
    """Read valid CoNLL-U; empty nodes, comments and enhanced dependencies are left out, as systems do."""
    return [parse_sentence(block) for block in text.strip("\n").split("\n\n")]


def parse_sentence(block: str) -> Sentence:
    sentence = Sentence()
    words: list[Word] = []
    heads: list[int] = []
    inside_until = 0
    for line in block.split("\n"):
        if line.startswith("#"):
            continue
        id, form, lemma, upos, xpos, feats, head, deprel, _, misc = line.split("\t")
        if "." in id:
            continue
        space_after = "SpaceAfter=No" not in misc.split("|")
        if "-" in id:
            inside_until = int(id.split("-")[1])
            sentence.tokens.append(Token(form=form, words=[], is_multiword=True, space_after=space_after))
            continue
        word = Word(form=form, lemma=lemma, upos=upos, xpos=xpos, feats=feats, deprel=deprel)
        words.append(word)
        heads.append(int(head))
        if int(id) <= inside_until:
            sentence.tokens[-1].words.append(word)
        else:
            sentence.tokens.append(
                Token(form=form, words=[word], is_multiword=False, space_after=space_after)
            )
    for word, number in zip(words, heads, strict=True):
        word.head = words[number - 1] if number else None
    return sentence


def write(sentence: Sentence) -> str:
    numbers = {word: number for number, word in enumerate(sentence.words, start=1)}
    lines = []
    for token in sentence.tokens:
        misc = "_" if token.space_after else "SpaceAfter=No"
        if token.is_multiword:
            ends = f"{numbers[token.words[0]]}-{numbers[token.words[-1]]}"
            lines.append("\t".join([ends, token.form, *"_______", misc]))
        for word in token.words:
            head = "0" if word.head is None else str(numbers[word.head])
            columns = [str(numbers[word]), word.form, word.lemma, word.upos, word.xpos, word.feats, head]
            lines.append("\t".join([*columns, word.deprel, "_", "_" if token.is_multiword else misc]))
    return "\n".join(lines) + "\n\n"


def depth(word: Word) -> int:
    steps = 0
    while word.head is not None:
        word = word.head
        steps += 1
    return steps


def hangs_on(word: Word | None, top: Word) -> bool:
    while word is not None:
        if word is top:
            return True
        word = word.head
    return False

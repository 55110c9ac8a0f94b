"""Simulate parser output for the demo: add seeded errors to gold; the result is valid CoNLL-U.

In: a gold file's text, the rates of each kind of error, a seed. Out: the text of a system's file. Each
rate is the probability of an error at one place:

- `boundaries`: two sentences are merged, or one is split
- `tokens`: a token of at least two characters is split, or merged with an adjacent one
- `multiword`: a multi-word token is not split into words
- `heads`: a word gets another head, never one of its descendants, so that there are no cycles;
  `function_words`: the same for determiners, prepositions and the like, if their rate is another one
- `labels`: a word gets another relation
- `tags`: a word gets another universal part of speech

The characters never change, every sentence has one root, and the same seed gives the same bytes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from sharedtask.content.demo.editable_trees import Sentence, Token, Word, depth, descends_from, parse, write

LABELS = ("nsubj", "obj", "obl", "nmod", "advmod", "amod", "conj", "advcl", "case", "det")
FUNCTION_TAGS = ("ADP", "AUX", "CCONJ", "DET", "PART", "SCONJ")
TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PROPN", "PRON", "DET", "ADP")


@dataclass(frozen=True, kw_only=True)
class Rates:
    boundaries: float = 0.0
    tokens: float = 0.0
    multiword: float = 0.0
    heads: float = 0.0
    labels: float = 0.0
    tags: float = 0.0
    function_words: float | None = None

    def of_head(self, word: Word) -> float:
        if self.function_words is None or word.upos not in FUNCTION_TAGS:
            return self.heads
        return self.function_words


def corrupt(gold: str, rates: Rates, seed: str) -> str:
    chance = random.Random(seed)
    sentences = parse(gold)
    for sentence in sentences:
        unsplit_multiword_tokens(sentence, rates.multiword, chance)
        change_tokens(sentence, rates.tokens, chance)
        change_words(sentence, rates, chance)
    sentences = change_boundaries(sentences, rates.boundaries, chance)
    return "".join(write(sentence) for sentence in sentences)


def merge_words(sentence: Sentence, merged: list[Word]) -> Word:
    """Replace the words of this list by the one nearest to the root."""
    top = min(merged, key=depth)
    removed = set(merged) - {top}
    for word in sentence.words:
        if word.head in removed:
            word.head = top
    if top.head in removed or top.head is top:
        raise AssertionError("the word nearest to the root cannot depend on one of the others")
    return top


def unsplit_multiword_tokens(sentence: Sentence, rate: float, chance: random.Random) -> None:
    for token in sentence.tokens:
        if token.is_multiword and chance.random() < rate:
            top = merge_words(sentence, token.words)
            top.form = top.lemma = token.form
            token.words = [top]
            token.is_multiword = False


def change_tokens(sentence: Sentence, rate: float, chance: random.Random) -> None:
    place = 0
    while place < len(sentence.tokens):
        token = sentence.tokens[place]
        if not token.is_multiword and chance.random() < rate:
            following = sentence.tokens[place + 1] if place + 1 < len(sentence.tokens) else None
            touches = following is not None and not token.space_after and not following.is_multiword
            if following is not None and touches and chance.random() < 0.5:
                merge_tokens(sentence, token, following)
            elif len(token.form) > 1 and " " not in token.form:
                sentence.tokens.insert(place + 1, split_token(token, chance))
                place += 1
        place += 1


def merge_tokens(sentence: Sentence, token: Token, following: Token) -> None:
    top = merge_words(sentence, [*token.words, *following.words])
    top.form = top.lemma = token.form = token.form + following.form
    token.words = [top]
    token.space_after = following.space_after
    sentence.tokens.remove(following)


def split_token(token: Token, chance: random.Random) -> Token:
    """Shorten the token and return the rest, which depends on it with `goeswith`."""
    at = chance.randrange(1, len(token.form))
    word = token.words[0]
    rest = Word(
        form=token.form[at:],
        lemma=token.form[at:],
        upos="X",
        xpos=None,
        feats=None,
        deprel="goeswith",
        head=word,
    )
    second = Token(form=rest.form, words=[rest], is_multiword=False, space_after=token.space_after)
    token.form = word.form = word.lemma = token.form[:at]
    token.space_after = False
    return second


def change_words(sentence: Sentence, rates: Rates, chance: random.Random) -> None:
    words = sentence.words
    for word in words:
        if word.head is not None and chance.random() < rates.of_head(word):
            choices = [other for other in words if other is not word.head and not descends_from(other, word)]
            # Wrong heads are usually near.
            choices.sort(key=lambda other: abs(words.index(other) - words.index(word)))
            if choices:
                word.head = chance.choice(choices[:4])
        if word.head is not None and chance.random() < rates.labels:
            word.deprel = chance.choice([label for label in LABELS if label != word.deprel])
        if chance.random() < rates.tags:
            word.upos = chance.choice([tag for tag in TAGS if tag != word.upos])


def change_boundaries(sentences: list[Sentence], rate: float, chance: random.Random) -> list[Sentence]:
    changed: list[Sentence] = []
    for sentence in sentences:
        if chance.random() >= rate:
            changed.append(sentence)
        elif changed and chance.random() < 0.5:
            append_sentence(changed[-1], sentence)
        elif len(sentence.tokens) > 3:
            changed.extend(split_sentence(sentence, chance.randrange(1, len(sentence.tokens) - 1)))
        else:
            changed.append(sentence)
    return changed


def append_sentence(first: Sentence, second: Sentence) -> None:
    root = second.root
    root.head, root.deprel = first.root, "parataxis"
    first.tokens += second.tokens


def split_sentence(sentence: Sentence, at: int) -> list[Sentence]:
    """Split before a token. In each half, words without their head are attached to a new root."""
    halves = [Sentence(tokens=sentence.tokens[:at]), Sentence(tokens=sentence.tokens[at:])]
    for half in halves:
        inside = set(half.words)
        orphans = [word for word in half.words if word.head not in inside]
        root = next((word for word in orphans if word.head is None), orphans[0])
        for word in orphans:
            if word is root:
                word.head, word.deprel = None, "root"
            else:
                word.head, word.deprel = root, "dep"
    return halves

"""Made-up systems for the demo: gold is disturbed in a seeded, documented way, and stays valid CoNLL-U.

In: a gold file's text, the rates of each kind of mistake, a seed. Out: the text of a system's file. Each
rate is the chance that one place is disturbed:

- `boundaries`: two sentences are joined, or one is cut in two, at a sentence's end
- `tokens`: a token of two characters or more is cut in two, or joined with the next one that it touches
- `multiword`: a multi-word token is left in one piece
- `heads`: a word gets another head, never one of its own descendants, so that no cycle arises
- `labels`: a word gets another relation
- `tags`: a word gets another universal part of speech

The characters never change, every sentence keeps one root, and the same seed gives the same bytes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from sharedtask.content.demo.editable import Sentence, Token, Word, depth, hangs_on, parse, write

LABELS = ("nsubj", "obj", "obl", "nmod", "advmod", "amod", "conj", "advcl", "case", "det")
TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PROPN", "PRON", "DET", "ADP")


@dataclass(frozen=True, kw_only=True)
class Rates:
    boundaries: float = 0.0
    tokens: float = 0.0
    multiword: float = 0.0
    heads: float = 0.0
    labels: float = 0.0
    tags: float = 0.0


def disturb(gold: str, rates: Rates, seed: str) -> str:
    chance = random.Random(seed)
    sentences = parse(gold)
    for sentence in sentences:
        leave_in_one_piece(sentence, rates.multiword, chance)
        change_tokens(sentence, rates.tokens, chance)
        change_words(sentence, rates, chance)
    sentences = change_boundaries(sentences, rates.boundaries, chance)
    return "".join(write(sentence) for sentence in sentences)


def merge_words(sentence: Sentence, merged: list[Word]) -> Word:
    """Make the word of this list that is nearest to the root stand for all of them."""
    top = min(merged, key=depth)
    gone = set(merged) - {top}
    for word in sentence.words:
        if word.head in gone:
            word.head = top
    if top.head in gone or top.head is top:
        raise AssertionError("the word nearest to the root cannot hang on one of the others")
    return top


def leave_in_one_piece(sentence: Sentence, rate: float, chance: random.Random) -> None:
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
                join_tokens(sentence, token, following)
            elif len(token.form) > 1 and " " not in token.form:
                sentence.tokens.insert(place + 1, cut_token(token, chance))
                place += 1
        place += 1


def join_tokens(sentence: Sentence, token: Token, following: Token) -> None:
    top = merge_words(sentence, [*token.words, *following.words])
    top.form = top.lemma = token.form = token.form + following.form
    token.words = [top]
    token.space_after = following.space_after
    sentence.tokens.remove(following)


def cut_token(token: Token, chance: random.Random) -> Token:
    """Shorten the token and give back the rest, which hangs on it as words torn apart do."""
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
        if word.head is not None and chance.random() < rates.heads:
            choices = [other for other in words if other is not word.head and not hangs_on(other, word)]
            # A wrong head is most often a near one.
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
            changed.extend(cut_sentence(sentence, chance.randrange(1, len(sentence.tokens) - 1)))
        else:
            changed.append(sentence)
    return changed


def append_sentence(first: Sentence, second: Sentence) -> None:
    root = second.root
    root.head, root.deprel = first.root, "parataxis"
    first.tokens += second.tokens


def cut_sentence(sentence: Sentence, at: int) -> list[Sentence]:
    """Cut before a token; what loses its head hangs on the first word that did, which becomes the root."""
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

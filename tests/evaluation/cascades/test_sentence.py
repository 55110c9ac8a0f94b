"""One sentence under constraints: the effect on every word, by hand."""

from __future__ import annotations

import evaluation
from evaluation.cascades.sentence import EFFECTS, constrain_sentence, sentence_of
from tests.evaluation.cascades.test_experiment import GOLD, PLAIN, UNIVERSAL
from tests.evaluation.small_files import conllu

# The root is given; the subject follows it, the object stays wrong, and “on” would be new if it changed.
GIVEN = """
1 Kim PROPN 2 nsubj
2 saw VERB 0 root
3 rain NOUN 1 obj
4 . PUNCT 3 punct

1 Go VERB 0 root
2 on ADV 1 advmod
"""


def source(text: str, number: int) -> bytes:
    return sentence_of(evaluation.read(conllu(text)), number)


def test_every_word_says_what_the_constraints_did_to_it() -> None:
    sentence = constrain_sentence(source(GOLD, 0), source(PLAIN, 0), source(GIVEN, 0), UNIVERSAL, "root")
    assert [word.effect for word in sentence.words] == ["repaired", "constrained", "remaining", "remaining"]
    assert [word.is_effective for word in sentence.words] == [False, True, False, False]
    assert [word.plain_head for word in sentence.words] == ["3 rain", "3 rain", "root", "3 rain"]
    assert {effect: sentence.count(effect) for effect in EFFECTS} == {
        "constrained": 1,
        "repaired": 1,
        "remaining": 2,
        "new": 0,
    }
    drawing = sentence.svg(["gold", "plain", "given"], title="A sentence")
    assert 'class="arc root constrained"' in drawing and 'class="arc repaired"' in drawing


def test_an_arc_that_breaks_is_a_new_error() -> None:
    broken = GIVEN.replace("2 on ADV 1 advmod", "2 on ADV 0 root").replace(
        "1 Go VERB 0 root", "1 Go VERB 2 dep"
    )
    sentence = constrain_sentence(
        source(GOLD, 1), source(PLAIN, 1), source(broken, 1), UNIVERSAL, "punctuation"
    )
    assert [word.effect for word in sentence.words] == ["new", "new"]
    # A constraint that was not kept is an error like any other.
    ignored = constrain_sentence(source(GOLD, 1), source(PLAIN, 1), source(broken, 1), UNIVERSAL, "root")
    assert [word.effect for word in ignored.words] == ["remaining", "new"]

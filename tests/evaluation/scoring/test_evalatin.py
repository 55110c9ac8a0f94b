"""EvaLatin: given tokens, relations with and without subtypes, content words by the universal relation."""

from __future__ import annotations

import pytest

import evaluation
from tests.evaluation.small_files import conllu

GOLD = conllu("1 puella NOUN 2 nsubj:pass\n2 amatur VERB 0 root\n3 et CCONJ 2 cc")


def test_subtypes_cost_only_the_metrics_with_subtypes() -> None:
    system = conllu("1 puella NOUN 2 nsubj\n2 amatur VERB 0 root\n3 et CCONJ 2 cc:preconj")
    metrics = evaluation.score(GOLD, system, "evalatin").metrics
    counts = {name: (tally.gold, tally.correct) for name, tally in metrics.items()}
    assert counts == {
        "LAS": (3, 3),
        "CLAS": (2, 2),
        "LAS with subtypes": (3, 1),
        "CLAS with subtypes": (2, 1),
        "UAS": (3, 3),
    }


def test_attachment_scores_are_those_of_conll18() -> None:
    system = conllu("1 puella NOUN 2 nsubj\n2 amatur VERB 0 root\n3 et CCONJ 1 cc")
    latin, usual = (evaluation.score(GOLD, system, name).metrics for name in ("evalatin", "conll18"))
    assert [latin[n] for n in ("LAS", "CLAS", "UAS")] == [usual[n] for n in ("LAS", "CLAS", "UAS")]


def test_other_tokens_are_refused() -> None:
    system = conllu("1 puella NOUN 3 nsubj\n2 ama VERB 3 x\n3 tur VERB 0 root\n4 et CCONJ 2 cc")
    with pytest.raises(evaluation.InvalidFile, match="“ama” as word 2 of sentence 1") as caught:
        evaluation.score(GOLD, system, "evalatin")
    assert [incident.id for incident in caught.value.report.incidents] == ["tokens-differ"]

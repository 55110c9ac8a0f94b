"""The fast evaluator equals the slow one of `reference.py`, and `udtools`, on thousands of random pairs."""

import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evaluation
from evaluation import Options
from tests.evaluation import oracle
from tests.evaluation.drawing import Shape, draw_pair

PUNCTUATION = ("all", "relation", "form")
LARGE = Shape(characters=60)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    return draw_pair(lambda n: draw(st.integers(0, n - 1)))


@settings(max_examples=400, derandomize=True, suppress_health_check=list(HealthCheck))
@given(pair=pairs(), punctuation=st.sampled_from(PUNCTUATION), subtypes=st.booleans())
def test_small_pairs(pair: tuple[bytes, bytes], punctuation: str, subtypes: bool) -> None:
    for profile in ("conll17", "conll18"):
        check(*pair, profile, Options(punctuation=punctuation, subtypes=subtypes, label_accuracy=True))


@pytest.mark.parametrize("seed", range(20))
def test_larger_pairs(seed: int) -> None:
    outcomes: Counter[bool] = Counter()
    for number in range(80):
        pair = draw_pair(random.Random(80 * seed + number).randrange, LARGE)
        options = Options(punctuation=PUNCTUATION[number % 3], subtypes=number % 2 == 1, label_accuracy=True)
        for profile in ("conll17", "conll18"):
            outcomes[check(*pair, profile, options)] += 1
    # Spaces that only conll18 removes make some pairs unfit for conll17; most must be fit.
    assert outcomes[True] > outcomes[False]


@pytest.mark.parametrize(("punctuation", "subtypes"), list(product(PUNCTUATION, (False, True))))
def test_counts_by_document_add_up_as_those_by_sentence_do(punctuation: str, subtypes: bool) -> None:
    gold, system = draw_pair(random.Random(7).randrange, Shape(characters=80))
    options = Options(punctuation=punctuation, subtypes=subtypes)
    comparison = evaluation.compare(gold, system, options=options)
    by_sentence = evaluation.counts_by_unit(comparison, "sentence").values.sum(axis=0)
    by_document = evaluation.counts_by_unit(comparison, "document").values.sum(axis=0)
    assert by_sentence.tolist() == by_document.tolist()


def check(gold: bytes, system: bytes, profile: str, options: Options) -> bool:
    """Totals and counts by unit equal the reference's; whether the pair can be scored at all."""
    expected = oracle.reference(gold, system, profile, options)
    result = oracle.ours(gold, system, profile, options)
    assert (result is None) == (expected is None)
    if expected is None:
        return False
    assert result is not None
    totals = oracle.totals(result)
    assert totals == expected.totals
    # A gold file that was read beforehand is prepared for many systems: another way, the same figures.
    assert oracle.totals(evaluation.compare(result.gold, result.system, profile, options=options)) == totals
    counts = evaluation.counts_by_unit(result)
    for place, metric in enumerate(counts.metrics):
        assert counts.values[:, place].tolist() == expected.by_unit[metric], metric
    if profile == "conll18" and not options.subtypes:
        # The drawn files have nothing on which `udtools` and the definitions differ.
        theirs = oracle.by_udtools(gold, system)
        concerned = totals.keys() & theirs.keys() - (
            {"UAS", "LAS"} if options.punctuation != "all" else set()
        )
        assert len(concerned) >= 11
        assert {name: totals[name] for name in concerned} == {name: theirs[name] for name in concerned}
    return True

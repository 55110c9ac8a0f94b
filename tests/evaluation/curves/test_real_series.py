"""Four real treebanks: the identity of the definition, and the shapes that the paper reports."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.curves.analyse import AnalysedSet, analyse
from evaluation.curves.attachments import read_attachments
from evaluation.curves.average import average
from evaluation.curves.classes import CRITERIA
from evaluation.curves.folders import find_series
from evaluation.curves.simpson import simpson_weights
from tests.evaluation import slow_curves

TREEBANKS = ("en_ewt", "fr_sequoia", "tr_imst", "el_gdt")


@pytest.fixture(scope="module")
def sets(real_series: Path) -> dict[str, AnalysedSet]:
    return {
        name: analyse(read_attachments(find_series(real_series / name)), replicates=100) for name in TREEBANKS
    }


@pytest.mark.parametrize("by", CRITERIA)
@pytest.mark.parametrize("treebank", TREEBANKS)
def test_the_sum_over_classes_is_that_of_the_undefined_ones(
    real_series: Path, treebank: str, by: str
) -> None:
    attachments = read_attachments(find_series(real_series / treebank))
    analysis = analyse(attachments, by=by, replicates=0).analysis
    weights = simpson_weights(np.log(analysis.sizes))
    products = [
        curve.words * curve.uas[-1] * curve.complexity
        for curve in analysis.classes.values()
        if curve.complexity is not None
    ]
    undefined = [
        100 * curve.words * float(weights @ curve.uas)
        for curve in analysis.classes.values()
        if curve.complexity is None
    ]
    assert sum(products) == pytest.approx(sum(undefined), abs=1e-9 * sum(map(abs, products)))


def test_determiners_and_prepositions_are_simple_and_verbs_after_their_heads_complex(
    sets: dict[str, AnalysedSet],
) -> None:
    for name, test_set in sets.items():
        classes = test_set.analysis.classes
        assert classes["DET>"].is_simple, name
        assert classes["ADP>"].is_simple, name
        assert not classes["VERB<"].is_simple, name
        assert not classes["ADP<"].is_simple, name
    combined = average(list(sets.values()))
    assert combined.classes["DET>"].simple_in == 4
    assert combined.classes["VERB<"].simple_in == 0
    assert combined.rho is not None and combined.rho < -0.5


def test_english_adjectives_are_simple_before_their_heads_and_french_ones_after(
    sets: dict[str, AnalysedSet],
) -> None:
    english, french = sets["en_ewt"].analysis.classes, sets["fr_sequoia"].analysis.classes
    assert english["ADJ>"].is_simple and not english["ADJ<"].is_simple
    assert french["ADJ<"].is_simple and not french["ADJ>"].is_simple


def test_figures_of_a_real_treebank_are_those_of_a_slow_computation(
    real_series: Path, sets: dict[str, AnalysedSet]
) -> None:
    analysis = sets["tr_imst"].analysis
    sizes, by_class, whole = slow_curves.curves(real_series / "tr_imst", "upos-direction")
    assert set(analysis.classes) == set(by_class)
    for name, curve in analysis.classes.items():
        assert list(curve.uas) == pytest.approx(by_class[name])
        expected = slow_curves.complexity(sizes, whole, by_class[name])
        assert curve.complexity == (expected if expected is None else pytest.approx(expected))


def test_training_files_are_no_systems(sets: dict[str, AnalysedSet]) -> None:
    assert set(sets["el_gdt"].analysis.systems) == {"xling_en", "xling_fr"}

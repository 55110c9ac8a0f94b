"""The Python interface: docstrings that run, plain values, and no state that threads could share."""

import doctest
import importlib
import pickle
import pkgutil
import random
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

import evaluation
from tests.evaluation.drawing import Shape, draw_pair
from tests.evaluation.small_files import conllu

GOLD = conllu("1 Bees NOUN 2 nsubj\n2 hum VERB 0 root")


def _modules() -> list[ModuleType]:
    result = pkgutil.walk_packages(evaluation.__path__, "evaluation.")
    return [evaluation, *(importlib.import_module(m.name) for m in result if not m.name.endswith("__main__"))]


@pytest.mark.parametrize("module", _modules(), ids=lambda module: module.__name__)
def test_examples_in_docstrings_run(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_the_names_that_people_call_have_examples() -> None:
    for function in (evaluation.read, evaluation.validate, evaluation.score, evaluation.align):
        assert ">>>" in (function.__doc__ or "")


def test_all_names_are_there_and_documented() -> None:
    for name in evaluation.__all__:
        thing = getattr(evaluation, name)
        assert not callable(thing) or thing.__doc__


def test_an_unknown_profile_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="conll17, conll18"):
        evaluation.score(GOLD, GOLD, "conll19")


def test_invalid_gold_and_invalid_system_files_raise_different_errors() -> None:
    with pytest.raises(evaluation.InvalidGold):
        evaluation.score(b"", GOLD)
    with pytest.raises(evaluation.InvalidFile) as caught:
        evaluation.score(GOLD, b"")
    assert not isinstance(caught.value, evaluation.InvalidGold)


def test_errors_can_be_passed_between_processes() -> None:
    for kind in (evaluation.InvalidFile, evaluation.InvalidGold):
        error = kind(evaluation.validate(b""))
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is kind
        assert again.report == error.report
        assert str(again) == str(error)


def test_a_treebank_cannot_be_changed_by_accident() -> None:
    treebank = evaluation.read(GOLD)
    with pytest.raises(ValueError, match="read-only"):
        treebank.layout.data[0] = 0
    with pytest.raises(AttributeError):
        treebank.name = "other"  # type: ignore[misc]


def test_one_gold_file_scored_in_many_threads() -> None:
    """The treebank caches what it has worked out; threads that race for it must get the same figures."""
    pairs = [draw_pair(random.Random(seed).randrange, Shape(characters=400)) for seed in range(6)]
    expected = [evaluation.score(*pair).metrics for pair in pairs]
    for _ in range(5):
        treebanks = [tuple(map(evaluation.read, pair)) for pair in pairs]
        jobs = [pair for pair in treebanks for _ in range(8)]
        with ThreadPoolExecutor(16) as pool:
            result = list(pool.map(lambda pair: evaluation.score(*pair).metrics, jobs))
        assert result == [metrics for metrics in expected for _ in range(8)]


def test_a_score_does_not_depend_on_what_was_scored_before() -> None:
    gold, system = draw_pair(random.Random(3).randrange, Shape(characters=200, spaces=(" ",)))
    treebank = evaluation.read(gold)
    first = {
        profile: evaluation.score(treebank, system, profile).metrics for profile in ("conll17", "conll18")
    }
    evaluation.counts_by_unit(evaluation.compare(treebank, system))
    again = {
        profile: evaluation.score(treebank, system, profile).metrics for profile in ("conll18", "conll17")
    }
    assert first == again


def test_counts_are_small_integers() -> None:
    counts = evaluation.counts_by_unit(evaluation.compare(GOLD, GOLD))
    assert counts.values.dtype == np.int32
    assert counts.values.shape == (1, len(counts.metrics), 4)

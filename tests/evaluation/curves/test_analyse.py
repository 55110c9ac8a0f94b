"""Analyses of drawn series: against a slow computation, the identity of the definition, intervals, spread."""

import itertools
import math
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.curves.analyse import analyse
from evaluation.curves.attachments import Attachments, read_attachments
from evaluation.curves.classes import CRITERIA
from evaluation.curves.folders import find_series
from evaluation.curves.simpson import simpson_weights
from evaluation.reading.fields import Mask
from evaluation.reading.read import read
from tests.evaluation import slow_curves
from tests.evaluation.drawn_series import draw_series

NUMBER = itertools.count()


def check_identity(folder: Path, by: str) -> None:
    """Σ n · UAS_max · K over defined classes = 100 · Σ n · ∫ UAS d ln s over undefined ones."""
    analysis = analyse(read_attachments(find_series(folder)), by=by, replicates=0).analysis
    weights = simpson_weights(np.log(analysis.sizes))
    defined = undefined = scale = 0.0
    for curve in analysis.classes.values():
        if curve.complexity is None:
            undefined += 100 * curve.words * float(weights @ curve.uas)
        else:
            defined += curve.words * curve.uas[-1] * curve.complexity
            scale += abs(curve.words * curve.uas[-1] * curve.complexity)
    assert defined == pytest.approx(undefined, abs=1e-9 * max(scale, 1.0))


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    seed=st.integers(0, 10**6),
    sizes=st.lists(st.integers(1, 900), min_size=3, max_size=7, unique=True).map(sorted),
    samples=st.integers(1, 3),
    by=st.sampled_from(list(CRITERIA)),
)
def test_figures_are_those_of_a_slow_computation(
    tmp_path: Path, seed: int, sizes: list[int], samples: int, by: str
) -> None:
    folder = tmp_path / f"series{next(NUMBER)}"
    draw_series(folder, seed, sizes=sizes, samples=samples, sentences=12)
    analysis = analyse(read_attachments(find_series(folder)), by=by, replicates=0).analysis
    expected_sizes, by_class, whole = slow_curves.curves(folder, by)
    assert list(analysis.sizes) == expected_sizes == sizes
    assert set(analysis.classes) == set(by_class)
    overall = analysis.parts["overall"]
    assert overall is not None
    assert list(overall.uas) == pytest.approx(whole)
    for name, curve in analysis.classes.items():
        assert list(curve.uas) == pytest.approx(by_class[name])
        expected = slow_curves.complexity(sizes, whole, by_class[name])
        assert (curve.complexity is None) == (expected is None)
        if expected is not None:
            assert curve.complexity == pytest.approx(expected, abs=1e-8)
            assert curve.is_simple == (expected < -1e-9)
    check_identity(folder, by)


def test_simple_and_complex_scores_are_over_the_words_of_their_classes(tmp_path: Path) -> None:
    draw_series(tmp_path / "s", 7)
    analysis = analyse(read_attachments(find_series(tmp_path / "s")), replicates=0).analysis
    simple = set(analysis.simple)
    assert simple and simple != set(analysis.classes)
    for part, classes in (("simple", simple), ("complex", set(analysis.classes) - simple)):
        curve = analysis.parts[part]
        assert curve is not None
        for size, uas, spread in zip(analysis.sizes, curve.uas, curve.spread or (), strict=True):
            scores = [
                slow_curves.uas(
                    slow_curves.tally(
                        tmp_path / "s" / "gold.conllu",
                        tmp_path / "s" / f"{size}-{sample}.conllu",
                        "upos-direction",
                    ),
                    classes,
                )
                for sample in (1, 2)
            ]
            assert uas == pytest.approx(mean(scores))
            assert spread == pytest.approx(stdev(scores))


def test_intervals_contain_the_figures_and_depend_on_seed_and_name_only(tmp_path: Path) -> None:
    draw_series(tmp_path / "s", 3, sentences=60)
    attachments = read_attachments(find_series(tmp_path / "s"))
    first, again = (analyse(attachments, replicates=300).analysis for _ in range(2))
    other = analyse(attachments, replicates=300, seed=2).analysis
    assert first == again
    assert first.parts != other.parts
    overall = first.parts["overall"]
    assert overall is not None
    for uas, ends in zip(overall.uas, overall.intervals, strict=True):
        assert ends is not None and ends[0] < uas < ends[1]
    score = first.systems["xling"].parts["overall"]
    assert score is not None and score.uas_interval is not None and score.sentences_interval is not None
    assert score.uas_interval[0] < score.placement.uas < score.uas_interval[1]
    assert score.sentences_interval[0] <= score.placement.sentences <= score.sentences_interval[1]


def test_an_interval_is_the_percentile_of_replicates_drawn_one_by_one(tmp_path: Path) -> None:
    """The draws are the published ones of the standings: the same words for every output."""
    from evaluation.ranking.philox import multiplicities

    draw_series(tmp_path / "s", 4, sentences=25, samples=1)
    analysis = analyse(read_attachments(find_series(tmp_path / "s")), replicates=40).analysis
    gold = slow_curves.sentences_of(tmp_path / "s" / "gold.conllu")
    system = slow_curves.sentences_of(tmp_path / "s" / "50-1.conllu")
    scores = []
    for drawn in multiplicities(1, "s", 25, 0, 40):
        words = right = 0
        for times, ours, theirs in zip(drawn.tolist(), gold, system, strict=True):
            pairs = [(a[2] == b[2]) for a, b in zip(ours, theirs, strict=True) if a[1] != "PUNCT"]
            words, right = words + int(times) * len(pairs), right + int(times) * sum(pairs)
        scores.append(100 * right / words)
    overall = analysis.parts["overall"]
    assert overall is not None
    assert overall.intervals[-1] == pytest.approx(tuple(np.quantile(scores, [0.025, 0.975])))


def test_a_small_test_set_has_no_intervals_and_says_so(tmp_path: Path) -> None:
    draw_series(tmp_path / "s", 5, sentences=19)
    analysis = analyse(read_attachments(find_series(tmp_path / "s"))).analysis
    overall = analysis.parts["overall"]
    assert overall is not None and set(overall.intervals) == {None}
    assert any("fewer than 20 sentences" in note for note in analysis.notes)


def test_one_sample_per_size_has_no_spread(tmp_path: Path) -> None:
    draw_series(tmp_path / "s", 6, samples=1)
    analysis = analyse(read_attachments(find_series(tmp_path / "s")), replicates=0).analysis
    overall = analysis.parts["overall"]
    assert overall is not None and overall.spread == [None] * 4
    assert all(math.isfinite(uas) for uas in overall.uas)


def level_series(*right_at_each_size: tuple[int, ...], systems: dict[str, int]) -> Attachments:
    """33 words, of which every output has so many right."""
    gold = read(33 * b"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")

    def heads(right: int) -> Mask:
        return np.arange(gold.words) < right

    samples = {
        10**n: {number: heads(right) for number, right in enumerate(of_size, 1)}
        for n, of_size in enumerate(right_at_each_size)
    }
    return Attachments("toy", gold, samples, {name: heads(right) for name, right in systems.items()})


@pytest.mark.parametrize(
    "curve",
    [
        ((16, 16, 16), (22, 17, 9), (16, 16, 16)),
        ((22, 17, 9), (16, 16, 16), (22, 17, 9)),
        ((16,), (22, 17, 9), (15, 17)),
        ((29, 7, 12), (22, 17, 9), (30, 2)),
    ],
)
def test_equal_averages_of_samples_are_equal_figures(curve: tuple[tuple[int, ...], ...]) -> None:
    """16 of 33 on average at every size: nothing falls, and a system with 16 is neither below nor above."""
    analysis = analyse(level_series(*curve, systems={"same": 16}), replicates=0).analysis
    overall = analysis.parts["overall"]
    assert overall is not None and set(overall.uas) == {100 * (16 / 33)}
    assert not any("falls" in note for note in analysis.notes)
    placed = analysis.systems["same"].parts["overall"]
    assert placed is not None
    assert placed.placement.bounded(analysis.sizes) == 1.0
    assert placed.placement.is_monotone

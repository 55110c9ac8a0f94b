"""The profiles describe their metrics, so that no page has to know them by name."""

from __future__ import annotations

import pytest

from evaluation import PROFILES, Presentation, Profile

every_profile = pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)


@every_profile
def test_every_metric_has_a_presentation(profile: Profile) -> None:
    for name in (*profile.metrics, *profile.optional):
        presentation = profile.presentations[name]
        assert presentation.explanation and not presentation.explanation.endswith(".")
        if name.startswith("VI"):
            assert (presentation.better, presentation.digits, presentation.scale) == ("lower", 2, "bits")
        else:
            assert (presentation.better, presentation.digits, presentation.factor) == ("higher", 2, 100)


@every_profile
def test_the_lists_of_a_profile_name_its_own_metrics(profile: Profile) -> None:
    known = set(profile.metrics)
    for listed in (profile.main, profile.secondary, profile.segmentation, profile.morphology):
        assert set(listed) <= known
        assert len(set(listed)) == len(listed)
    assert not set(profile.main) & set(profile.secondary)
    assert set(profile.breakdown) <= set(profile.word_metrics)
    assert {name for name in profile.main if name in profile.word_metrics} <= set(profile.breakdown)
    assert all(set(metrics) <= known for metrics in profile.tracks.values())
    assert profile.title and profile.citation


@every_profile
def test_the_main_metrics_come_first_on_a_board(profile: Profile) -> None:
    assert profile.displayed_metrics()[: len(profile.main)] == profile.main
    last = profile.secondary[-1]
    assert profile.displayed_metrics([last]) == (last, *profile.secondary[:-1])


def test_a_board_of_2018_shows_three_main_metrics() -> None:
    displayed = PROFILES["conll18"].displayed_metrics()
    assert displayed == (
        "LAS",
        "MLAS",
        "BLEX",
        "CLAS",
        "Tokens",
        "Words",
        "Sentences",
    )
    assert PROFILES["conll17"].displayed_metrics() == ("LAS", "CLAS", "Tokens", "Words", "Sentences")


def test_a_lower_figure_can_be_the_better_one() -> None:
    bits = Presentation(explanation="bits", better="lower", factor=1, digits=3, kind="bits")
    assert sorted([2.0, 0.5, 1.0], key=bits.sort_key) == [0.5, 1.0, 2.0]
    assert bits.best([2.0, 0.5, 1.0]) == 0.5
    assert bits.advantage(0.5, 2.0) == 1.5
    assert (bits.text(0.5), bits.scale, bits.best_word, bits.worst_word) == (
        "0.500",
        "bits",
        "lowest",
        "highest",
    )


def test_a_higher_figure_is_the_better_one_by_default() -> None:
    f1 = Presentation(explanation="words")
    assert sorted([0.2, 0.5, 0.1], key=f1.sort_key) == [0.5, 0.2, 0.1]
    assert f1.best([0.2, 0.5]) == 0.5
    assert f1.advantage(0.5, 0.25) == 0.25
    assert f1.same(0.70001, 0.70002) and not f1.same(0.7, 0.71)

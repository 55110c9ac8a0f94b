"""Figures of sentences, also where a system has not done what a metric is about."""

from __future__ import annotations

import random
from dataclasses import replace

import evaluation
from tests.evaluation.forests import draw_sentences, nine_columns


def test_a_system_without_classes_has_figures_of_its_trees_alone() -> None:
    gold = draw_sentences(random.Random(3), sentences=4)
    untagged = [[replace(word, tag="_", fine="_") for word in sentence] for sentence in gold]
    comparison = evaluation.compare(nine_columns(gold), nine_columns(untagged), "pascal12")
    figures = evaluation.figures_by_sentence(comparison)
    assert figures["VM"] == figures["1-1"] == [None] * 4
    assert 1.0 in figures["Directed"]

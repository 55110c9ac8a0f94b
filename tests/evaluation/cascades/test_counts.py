"""Counts by run and sentence: stored and read back, restricted, beside another system, and summed."""

from __future__ import annotations

import random

import pytest

import evaluation
from evaluation.cascades.constraints import constrained_words
from evaluation.cascades.counts import ExperimentCounts
from evaluation.cascades.tables import all_tables, run_titles
from tests.evaluation.cascades.test_experiment import (
    GOLD,
    PLAIN,
    ROOT_GIVEN,
    UNIVERSAL,
    draw_output,
    experiment,
)
from tests.evaluation.small_files import conllu


def test_stored_counts_give_the_same_figures() -> None:
    result = experiment({"root": ROOT_GIVEN, "np-attachment": GOLD})
    stored = ExperimentCounts.from_bytes(result.counts.to_bytes())
    for selection in ("every", "own"):
        for punctuation in (False, True):
            assert stored.rows(selection, punctuation=punctuation) == result.rows(  # type: ignore[arg-type]
                selection,  # type: ignore[arg-type]
                punctuation=punctuation,
            )
    effective, repaired, destroyed = stored.of_sentences("root")
    assert (effective.tolist(), repaired.tolist(), destroyed.tolist()) == ([1, 0], [2, 0], [0, 0])


def test_beside_another_system_figures_are_over_the_sentences_that_both_cover() -> None:
    careful = experiment({"root": ROOT_GIVEN}).counts
    careless = experiment({"root": PLAIN}).counts
    (alone,) = [row for row in careful.rows() if row.run == "root"]
    (both,) = [row for row in careful.rows(beside=careless) if row.run == "root"]
    assert (alone.selected, both.selected) == (2, 1)
    assert {row.selected for row in careless.rows("own", beside=careful) if row.run == "root"} == {1}


def test_rows_of_two_test_sets_are_added() -> None:
    source = random.Random(7)
    gold, plain = draw_output(source, [4, 6]), draw_output(source, [4, 6])
    names = constrained_words(evaluation.read(conllu(gold)), UNIVERSAL)
    outputs = {name: draw_output(source, [4, 6]) for name in names} | {"plain": plain, "none": plain}
    rows = experiment(outputs, gold).rows("own")
    for row in rows:
        double = row + row
        assert (double.words, double.gain, double.selected) == (2 * row.words, 2 * row.gain, 2 * row.selected)
        assert double.repaired == {name: 2 * number for name, number in row.repaired.items()}
        assert double.uas == row.uas
    with pytest.raises(ValueError, match="different names"):
        rows[0] + rows[1]


def test_tables_have_a_row_per_run_and_system_and_add_up() -> None:
    rows = experiment({"root": ROOT_GIVEN, "np-attachment": GOLD}).rows()
    effects, repaired, destroyed = all_tables(
        [("one", rows), ("other", rows)], about="here", words="without punctuation"
    )
    assert [row[:2] for row in effects.rows[:4]] == [
        ("Without constraints", "one"),
        ("Without constraints", "other"),
        ("NP attachment", "one"),
        ("NP attachment", "other"),
    ]
    assert len(effects.rows) == 2 * (len(rows) + 1)
    assert [column.head for column in repaired.columns] == [
        "Class",
        *("NP attachment, one", "NP attachment, other", "Root, one", "Root, other"),
    ]
    total = {row[0]: row[1:] for row in repaired.rows}["Total"]
    assert total[2] == total[3] == "2"
    assert effects.caption.endswith("here, without punctuation.")
    # Arcs are counted with punctuation, which is a class of its own, whatever words scores are over.
    assert repaired.caption.endswith("here, punctuation included.")
    assert destroyed.rows[-1][0] == "Total"
    assert run_titles(UNIVERSAL.names)["all"] == "All words"

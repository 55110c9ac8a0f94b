"""Statements about known populations are wrong as often as they may be; `make simulation` has larger samples.

The seeds are fixed: what these tests see does not vary. Each bound excludes what was computed before.
"""

from __future__ import annotations

from tests.evaluation.simulated_fields import Population, coverage, significant


def test_a_line_between_equal_systems_appears_in_five_per_cent_of_the_cases() -> None:
    """A one-sided test in the direction that the data suggest would draw one in ten."""
    found = significant(Population(documents=150), advantage=0.0, copies=20, fields=30, replicates=250)
    assert found["two-sided"] < 0.07 < found["one-sided"]


def test_a_real_difference_is_found() -> None:
    found = significant(Population(documents=150), advantage=0.05, copies=20, fields=5, replicates=250)
    assert found["two-sided"] > 0.95


def test_intervals_by_document_cover_where_those_by_sentence_are_too_narrow() -> None:
    population = Population(documents=60, sentences=15)
    sizes = {"copies": 50, "fields": 4, "replicates": 250}
    by_document = coverage(population, by_document=True, **sizes)
    by_sentence = coverage(population, by_document=False, **sizes)
    assert by_sentence < 0.8 < 0.88 < by_document

"""Series compared under the partition of one of them, as in Table 2 of Aufrant et al. (2018)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.curves.analyse import analyse
from evaluation.curves.analysis import Analysis, with_score
from evaluation.curves.attachments import read_attachments
from evaluation.curves.classes import CRITERIA
from evaluation.curves.comparison import comparison_tables
from evaluation.curves.folders import find_series
from evaluation.curves.partition import Partition, compare_scores
from evaluation.curves.tallies import FORMAT, Tallies, from_bytes, tally, to_bytes
from evaluation.packing import pack
from tests.evaluation.drawn_series import draw_series
from tests.evaluation.small_files import conllu

GOLD = """
1 the DET 3 det
2 dog NOUN 3 nsubj
3 sleeps VERB 0 root
"""


def output(wrong: str = "") -> bytes:
    """Every head is right but that of this word: the other of the first two."""
    lines = {"the": "1 the DET 2 det", "dog": "2 dog NOUN 1 nsubj"}
    text = GOLD
    for right in GOLD.strip().split("\n"):
        if right.split()[1] == wrong:
            text = text.replace(right, lines[wrong])
    return conllu(text)


@dataclass(frozen=True)
class Analysed:
    analysis: Analysis
    tallies: Tallies


def series(folder: Path, outputs: dict[str, bytes]) -> Analysed:
    folder.mkdir()
    (folder / "gold.conllu").write_bytes(conllu(GOLD))
    for name, content in outputs.items():
        (folder / f"{name}.conllu").write_bytes(content)
    return read_series(folder, by="upos")


def read_series(folder: Path, *, by: str, replicates: int = 0) -> Analysed:
    attachments = read_attachments(find_series(folder))
    stored = to_bytes([tally(attachments)])
    analysis = analyse(attachments, by=by, replicates=replicates).analysis
    return Analysed(analysis, from_bytes(stored)[attachments.name])


def partition(reference: Analysed, **sets: Analysed) -> Partition:
    """That of one series, or of another one for each test set."""
    analysis = reference.analysis
    return Partition(
        by=analysis.by,
        simple={name: each.analysis.simple for name, each in (sets or {analysis.name: reference}).items()},
        replicates=analysis.replicates,
        seed=analysis.seed,
    )


def on(test_set: str, each: Analysed) -> Tallies:
    return replace(each.tallies, name=test_set)


@pytest.fixture
def beam(tmp_path: Path) -> Analysed:
    """DET is right from the start, so it is simple; NOUN and VERB come later."""
    return series(tmp_path / "beam", {"5-1": output("dog"), "10-1": output("dog"), "20-1": output()})


@pytest.fixture
def other(tmp_path: Path) -> Analysed:
    """The other way round, with two samples of the middle size."""
    outputs = {"5-1": output("the"), "10-1": output("the"), "10-2": output(), "20-1": output()}
    return series(tmp_path / "other", outputs)


@pytest.mark.parametrize("by", CRITERIA)
def test_under_its_own_partition_a_series_has_the_figures_of_its_analysis(tmp_path: Path, by: str) -> None:
    """Scores, intervals and the spread over samples: of every criterion, from what was stored."""
    draw_series(tmp_path / "drawn", 1)
    drawn = read_series(tmp_path / "drawn", by=by, replicates=40)
    scores = compare_scores({"Beam": {"drawn": drawn.tallies}}, "Beam", partition(drawn))
    assert [score.size for score in scores] == list(drawn.analysis.sizes)
    assert drawn.analysis.simple and len(drawn.analysis.simple) < len(drawn.analysis.classes)
    for part, curve in drawn.analysis.parts.items():
        found = [score.parts[part] for score in scores]
        assert curve is not None and curve.spread is not None
        assert [each.uas for each in found if each] == pytest.approx(curve.uas)
        assert [each.spread for each in found if each] == pytest.approx(curve.spread)
        intervals = [each.interval for each in found if each and each.interval]
        assert np.array(intervals) == pytest.approx(np.array(curve.intervals))


def test_differences_from_the_reference_are_paired(tmp_path: Path) -> None:
    draw_series(tmp_path / "drawn", 1)
    drawn = read_series(tmp_path / "drawn", by="upos", replicates=40)
    twins = {name: {"drawn": drawn.tallies} for name in ("Beam", "Twin")}
    scores = compare_scores(twins, "Beam", partition(drawn))
    assert {score.series for score in scores} == {"Beam", "Twin"}
    for score in scores:
        expected = None if score.series == "Beam" else (0.0, (0.0, 0.0))
        assert {part.difference for part in score.parts.values() if part} == {expected}


def test_the_reference_decides_which_classes_are_simple(beam: Analysed, other: Analysed) -> None:
    assert set(beam.analysis.simple) == {"DET", "VERB"}
    assert set(other.analysis.simple) == {"NOUN", "VERB"}

    def scores(reference: Analysed) -> dict[str, float]:
        compared = compare_scores(
            {"Beam": {"toy": on("toy", beam)}, "Other": {"toy": on("toy", other)}},
            "Beam",
            partition(reference, toy=reference),
        )
        (score,) = (each for each in compared if (each.series, each.size) == ("Other", 10))
        return {name: part.uas for name, part in score.parts.items() if part}

    assert scores(beam) == pytest.approx({"overall": 250 / 3, "simple": 75.0, "complex": 100.0})
    assert scores(other) == pytest.approx({"overall": 250 / 3, "simple": 100.0, "complex": 50.0})


def test_averages_are_over_test_sets_that_both_have(beam: Analysed, other: Analysed) -> None:
    """Each with its own partition; the difference is over the same test sets."""
    sets = {"a": on("a", other), "b": on("b", other), "c": on("c", other)}
    of_reference = {"a": on("a", beam), "b": on("b", other)}
    compared = compare_scores({"Beam": of_reference, "Other": sets}, "Beam", partition(beam, a=beam, b=other))
    reference, score = (each for each in compared if each.size == 10)
    assert (reference.series, score.series, score.test_sets) == ("Beam", "Other", ("a", "b"))
    uas = {name: part.uas for name, part in score.parts.items() if part}
    assert uas == pytest.approx({"overall": 250 / 3, "simple": 87.5, "complex": 75.0})
    overall = score.parts["overall"]
    assert overall is not None and overall.difference is not None
    # Beam has one of three heads wrong on the first test set where the other has half of one.
    assert overall.difference[0] == pytest.approx((250 / 3 - 200 / 3) / 2)
    assert overall.interval is None, "there are too few sentences"
    assert {each.size for each in compared} == {5, 10, 20}


def test_every_table_of_averages_names_the_test_sets_of_a_series_with_fewer(
    beam: Analysed, other: Analysed
) -> None:
    both = partition(beam, first=beam, second=beam)
    scores = compare_scores(
        {
            "Beam": {"first": on("first", beam), "second": on("second", beam)},
            "Other": {"first": on("first", other)},
        },
        "Beam",
        both,
    )
    placed = {name: with_score(each.analysis, "KL", 80) for name, each in (("Beam", beam), ("Other", other))}
    tables = {table.name: table for table in comparison_tables(scores, placed, "Beam", "Average")}
    for name in ("scores", "ranks", "equivalents"):
        assert tables[name].caption.endswith(" Other has only first."), name


def test_tables_name_the_reference_and_every_series(beam: Analysed, other: Analysed) -> None:
    placed = {
        name: with_score(each.analysis, "KL-Beam", 80.0) for name, each in (("Beam", beam), ("Other", other))
    }
    series = {"Beam": {"toy": on("toy", beam)}, "Other": {"toy": on("toy", other)}}
    scores = compare_scores(series, "Beam", partition(beam, toy=beam))
    table, differences, _, equivalents = comparison_tables(scores, placed, "Beam", "toy")
    assert "The partition is that of Beam; no intervals" in table.caption
    (row,) = (row for row in table.rows if row[:2] == ("Other", "10"))
    assert row[2::3] == ("75.00", "83.33", "100.00")
    assert row[4::3] == ("35.36", "23.57", "0.00"), "the standard deviation over two samples"
    assert {row[0] for row in differences.rows} == {"Other"}
    assert ("Other", "10", "-25.00", "–", "+16.67", "–", "+100.00", "–") in differences.rows
    assert {row[:2] for row in equivalents.rows} == {("KL-Beam", "Beam"), ("KL-Beam", "Other")}
    (on_beam, _) = equivalents.rows
    assert on_beam[2:5] == ("–", "–", "–"), "of a bare score nothing but the overall score is known"
    assert on_beam[5] == "80.00"


def test_series_with_other_sizes_are_not_compared_where_they_cannot_be(tmp_path: Path) -> None:
    """No difference at a size that the reference lacks, and a warning about COMPLEXITY over other ranges."""
    wide, narrow = tmp_path / "wide" / "toy", tmp_path / "narrow" / "toy"
    draw_series(wide, 1, sizes=(5, 10, 20, 50))
    draw_series(narrow, 1, sizes=(5, 10, 30))
    both = {
        "Beam": read_series(wide, by="upos"),
        "Other": read_series(narrow, by="upos"),
    }
    scores = compare_scores(
        {name: {"toy": each.tallies} for name, each in both.items()}, "Beam", partition(both["Beam"])
    )
    analyses = {name: each.analysis for name, each in both.items()}
    tables = {table.name: table for table in comparison_tables(scores, analyses, "Beam", "toy")}
    assert [row[:2] for row in tables["differences"].rows] == [("Other", "5"), ("Other", "10")]
    warning = (
        "COMPLEXITY cannot be compared between series with other ranges of sizes: Beam 5–50; Other 5–30."
    )
    assert tables["ranks"].caption.endswith(warning)
    alone = comparison_tables(scores[:0], {"Beam": both["Beam"].analysis}, "Beam", "toy")
    assert not any("cannot be compared" in table.caption for table in alone)


@pytest.mark.parametrize("stored", [b"", b"x", pack(FORMAT, {}, {}), pack(FORMAT, {}, {"names": ["toy"]})])
def test_damaged_tallies_are_refused(stored: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        from_bytes(stored)


def test_a_bare_score_is_placed_without_intervals(beam: Analysed) -> None:
    curve = beam.analysis.parts["overall"]
    assert curve is not None
    score = with_score(beam.analysis, "KL-Beam", curve.uas[0]).systems["KL-Beam"].parts["overall"]
    assert score is not None
    assert score.placement.describe(beam.analysis.sizes) == "5"
    assert score.uas_interval is None and score.sentences_interval is None

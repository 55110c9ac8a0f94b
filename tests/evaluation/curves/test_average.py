"""Averages over test sets: which sets count for a class, and on which curve a system is placed."""

from itertools import product
from math import sqrt
from pathlib import Path
from statistics import mean, pstdev

import pytest

from evaluation.curves.analyse import AnalysedSet, analyse
from evaluation.curves.attachments import read_attachments
from evaluation.curves.average import average
from evaluation.curves.folders import BadSeries, find_series
from evaluation.curves.placement import place
from tests.evaluation import slow_curves
from tests.evaluation.drawn_series import draw_series


def read_sets(*folders: Path) -> list[AnalysedSet]:
    return [analyse(read_attachments(find_series(folder)), replicates=50) for folder in folders]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("sets")
    draw_series(root / "large", 1, sentences=120, systems={"both": 0.5, "alone": 0.4})
    draw_series(root / "middle", 2, sentences=90, systems={"both": 0.6})
    draw_series(root / "small", 3, sentences=25, systems={"both": 0.3})
    return [root / "large", root / "middle", root / "small"]


def test_a_class_is_averaged_where_it_has_thirty_words_and_all_words_everywhere(folders: list[Path]) -> None:
    combined = average(read_sets(*folders))
    slow = {folder.name: slow_curves.curves(folder, "upos-direction") for folder in folders}
    sizes = slow["large"][0]
    whole = [mean(w[n] / w[-1] for _, _, w in slow.values()) for n in range(len(sizes))]
    tallies = {
        f.name: slow_curves.tally(f / "gold.conllu", f / "gold.conllu", "upos-direction") for f in folders
    }
    averaged = 0
    for name in {name for _, curves, _ in slow.values() for name in curves}:
        members = [code for code in slow if tallies[code].get(name, (0, 0))[0] >= 30]
        assert (name in combined.classes) == bool(members)
        if not members:
            continue
        curve = combined.classes[name]
        averaged += len(members) < len(slow)
        assert curve.treebanks == len(members)
        assert curve.words == sum(tallies[code][name][0] for code in members)
        normalised = [
            mean(slow[code][1][name][n] / slow[code][1][name][-1] for code in members)
            for n in range(len(sizes))
        ]
        assert list(curve.normalised or ()) == pytest.approx([100 * value for value in normalised])
        assert curve.complexity == pytest.approx(slow_curves.complexity(sizes, whole, normalised))
        assert curve.interval is not None
    assert averaged, "some class must be too rare in some set"


def test_scores_of_parts_are_averages_of_those_by_the_partition_of_each_set(folders: list[Path]) -> None:
    sets = read_sets(*folders)
    combined = average(sets)
    for part in ("overall", "simple", "complex"):
        curve = combined.parts[part]
        of_sets = [test_set.analysis.parts[part] for test_set in sets]
        assert curve is not None
        for n, uas in enumerate(curve.uas):
            assert uas == pytest.approx(mean(other.uas[n] for other in of_sets if other))


def test_the_spread_of_an_average_is_that_of_independent_samples(folders: list[Path]) -> None:
    """The variance of all combinations of samples: one of each test set."""
    sets = read_sets(*folders)
    combined = average(sets)
    for part in ("overall", "simple", "complex"):
        curve = combined.parts[part]
        assert curve is not None
        for n, spread in enumerate(curve.spread):
            known = [other.spread[n] for s in sets if (other := s.analysis.parts[part])]
            pairs = [(-value / sqrt(2), value / sqrt(2)) for value in known if value is not None]
            assert len(pairs) == len(known), "two samples each"
            # Of two values, the standard deviation is the root of half their squared difference.
            means = [mean(chosen) for chosen in product(*pairs)]
            assert spread == pytest.approx(sqrt(2) * pstdev(means))
    for name, of_class in combined.classes.items():
        members = [s.analysis.classes[name] for s in sets if name in s.analysis.classes]
        counted = [c.spread[0] or 0.0 for c in members if c.words >= 30]
        assert of_class.spread[0] == pytest.approx(sqrt(sum(v * v for v in counted)) / len(counted))


def test_the_spread_of_an_average_is_unknown_if_a_test_set_has_one_sample(
    tmp_path: Path, folders: list[Path]
) -> None:
    draw_series(tmp_path / "single", 9, samples=1)
    overall = average(read_sets(folders[0], tmp_path / "single")).parts["overall"]
    assert overall is not None and set(overall.spread) == {None}


def test_an_average_says_which_test_set_has_fewer_samples_where(tmp_path: Path, folders: list[Path]) -> None:
    draw_series(tmp_path / "lacking", 9)
    (tmp_path / "lacking" / "10-2.conllu").unlink()
    notes = average(read_sets(folders[0], tmp_path / "lacking")).notes
    assert "At 10 sentences lacking has 1 sample, elsewhere up to 2." in notes
    assert not any("sample" in note for note in average(read_sets(*folders[:2])).notes)


def test_a_system_is_placed_on_the_average_curve_of_its_own_test_sets(folders: list[Path]) -> None:
    sets = read_sets(*folders)
    combined = average(sets, scores={"published": 55.0})
    assert combined.systems["both"].treebanks == ("large", "middle", "small")
    assert combined.systems["alone"].treebanks == ("large",)
    alone = combined.systems["alone"].parts["overall"]
    of_set = sets[0].analysis.systems["alone"].parts["overall"]
    assert alone is not None and of_set is not None
    assert alone.placement.sentences == pytest.approx(of_set.placement.sentences)
    overall, published = combined.parts["overall"], combined.systems["published"].parts["overall"]
    assert overall is not None and published is not None
    assert published.placement == place(55.0, combined.sizes, overall.uas)
    assert any("alone has outputs for large only" in note for note in combined.notes)


def test_how_often_a_class_is_simple_is_counted(folders: list[Path]) -> None:
    sets = read_sets(*folders)
    for name, curve in average(sets).classes.items():
        members = [s.analysis.classes[name] for s in sets if name in s.analysis.classes]
        assert curve.simple_in == sum(c.is_simple for c in members if c.words >= 30)


def test_different_sizes_and_equal_names_have_no_average(tmp_path: Path, folders: list[Path]) -> None:
    draw_series(tmp_path / "other", 9, sizes=(5, 10, 30))
    with pytest.raises(BadSeries, match="large has 5, 10, 20, 50 and other has 5, 10, 30"):
        average(read_sets(folders[0], tmp_path / "other"))
    draw_series(tmp_path / "large", 9)
    with pytest.raises(BadSeries, match="two folders are called large"):
        average(read_sets(folders[0], tmp_path / "large"))

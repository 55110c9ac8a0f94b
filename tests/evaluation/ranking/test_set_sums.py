"""The sums of a test set: stored, joined and chosen from without changing a figure."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.packing import pack, unpack
from evaluation.ranking import sums_store
from evaluation.ranking.details import build_details
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.places import Places
from evaluation.ranking.results import EVERYTHING, Outcome, Results
from evaluation.ranking.set_sums import SetSums, make_set_sums
from evaluation.ranking.single_set import set_figures
from evaluation.ranking.standings import Rules, compute_standings
from evaluation.ranking.sums_store import FolderStore, SumsStore
from tests.evaluation.toy import random_campaign

RULES = Rules(replicates=260, seed=3)


@pytest.fixture(scope="module")
def results() -> Results:
    return random_campaign(4, systems=5, sets={"he": 30, "kk": 24}, missing=[(3, "kk")])


def made(results: Results, code: str = "he") -> SetSums:
    sums = make_set_sums(results, code, results.metrics, replicates=RULES.replicates, seed=RULES.seed)
    assert sums is not None
    return sums


def assert_same_figures(one: SetSums, other: SetSums) -> None:
    assert one.systems == other.systems and one.plain() == other.plain()
    for metric in one.metrics:
        assert np.array_equal(one.resampled(metric), other.resampled(metric))


def test_the_first_replicate_is_the_sample_itself(results: Results) -> None:
    assert made(results).plain() == {name: results.figures(name, "he") for name in results.systems}
    assert made(results, "kk").systems == ("S0", "S1", "S2", "S4"), "only valid files"


def test_systems_that_are_joined_have_the_sums_they_had_alone(results: Results) -> None:
    old, new = ["S0", "S2", "S4"], ["S1", "S3"]
    known = SetSums.from_bytes(made(results.subset(systems=old)).to_bytes())
    joined = known.joined(made(results.subset(systems=new)))
    assert_same_figures(joined, made(results))
    assert_same_figures(joined.of_systems(old), known)
    assert len(joined.of_systems(old).sums) == len(known.sums), "sums of others are not kept"


def test_figures_with_known_pairs_are_those_without(results: Results) -> None:
    main = ["LAS", "UAS"]
    known = set_figures(results.subset(systems=["S0", "S2", "S4"]), RULES, "he", main).pairs
    store = SumsStore()
    store.write("he", made(results))
    expected = set_figures(results, RULES, "he", main)
    found = set_figures(results, RULES, "he", main, store, Pairs.from_bytes(known.to_bytes()))
    assert found.pairs.to_bytes() == expected.pairs.to_bytes()
    assert found.places.to_bytes() == expected.places.to_bytes()
    wrong = replace(known, low=known.low + 1)
    changed = set_figures(results, RULES, "he", main, store, wrong).pairs
    assert not np.array_equal(changed.low, expected.pairs.low), "known intervals are taken over"


def test_known_intervals_are_taken_over_and_those_of_other_systems_computed(results: Results) -> None:
    main, old = ["LAS", "UAS"], ["S0", "S2", "S4"]
    expected = set_figures(results, RULES, "he", main).places
    # Of an earlier field, in which places were others; one of its systems has a new file meanwhile.
    known = set_figures(results.subset(systems=[*old, "S1"]), RULES, "he", main).places
    for shift in (0, 1):
        earlier = replace(Places.from_bytes(known.to_bytes()), low=known.low + shift, high=known.high + shift)
        store = SumsStore({EVERYTHING: earlier.intervals_of(old, results.metrics)})
        store.write("he", made(results))
        found = set_figures(results, RULES, "he", main, store).places
        shifts = np.array([shift if name in old else 0 for name in found.systems])[:, None]
        assert np.array_equal(found.low, expected.low + shifts)
        assert np.array_equal(found.high, expected.high + shifts)
        rest = replace(found, low=expected.low, high=expected.high)
        assert rest.to_bytes() == expected.to_bytes(), "ranks, ranges and lines depend on all systems"


def test_without_counts_the_remembered_figures_are_enough(results: Results) -> None:
    """As after an earlier standing: files are known by their sums alone."""
    bare = {
        name: {code: Outcome(status=outcome.status) for code, outcome in files.items()}
        for name, files in results.systems.items()
    }
    known = Results(profile=results.profile, sets=results.sets, systems=bare)
    store = SumsStore()
    for code in results.codes:
        sums = made(results, code)
        store.write(code, sums)
        known.remember(code, sums.units, sums.plain())
    both = [compute_standings(part, RULES, store=store) for part in (results, known)]
    first, second = (build_details(standings, ["LAS"]) for standings in both)
    assert first.to_bytes() == second.to_bytes()


def test_sums_in_files_are_the_same_and_the_files_disappear(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums_store, "_IN_MEMORY", 0)
    store = sums_store.temporary_store(results, results.metrics, RULES.replicates)
    assert isinstance(store, FolderStore)
    store.write("he", made(results))
    store.write("none", None)
    read, folder = store.read("he"), store.folder
    assert read is not None and store.read("none") is None
    assert_same_figures(read, made(results))
    assert list(folder.iterdir()) and str(folder) in Path("/proc/self/maps").read_text()
    del read
    assert str(folder) not in Path("/proc/self/maps").read_text(), "one test set is in memory at a time"
    del store
    assert not folder.exists()


@pytest.mark.parametrize("place", [0, 30, 40, -1])
def test_damage_in_what_is_not_compressed_is_noticed(results: Results, place: int) -> None:
    sums = made(results)
    stored = bytearray(sums.to_bytes())
    again = SetSums.from_bytes(bytes(stored))
    for field in fields(SetSums):
        assert np.array_equal(getattr(again, field.name), getattr(sums, field.name)), field.name
    stored[place] ^= 1
    with pytest.raises(ValueError, match="damaged set sums"):
        SetSums.from_bytes(bytes(stored))
    with pytest.raises(ValueError, match="damaged"):
        SetSums.from_bytes(sums.to_bytes()[:-3])


def test_both_forms_of_packing_give_back_the_same() -> None:
    arrays = {"a": np.arange(6, dtype="<u2").reshape(2, 3), "empty": np.zeros((0, 4))}
    for compress in (True, False):
        read, strings = unpack("form 1", pack("form 1", arrays, {"names": ["x"]}, compress=compress))
        assert strings == {"names": ["x"]} and read["empty"].shape == (0, 4)
        assert np.array_equal(read["a"], arrays["a"])

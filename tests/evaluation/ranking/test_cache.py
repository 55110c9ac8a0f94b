"""The cache of outcomes."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.ranking import cache as cache_module
from evaluation.ranking.cache import Cache
from evaluation.ranking.results import Outcome
from evaluation.scoring.compare import Options
from tests.evaluation.toy import counts

USUAL: dict[str, Any] = {
    "gold_sha256": "ab",
    "system_sha256": "cd",
    "profile": "conll17",
    "options": Options(),
    "unit": "sentence",
}


def test_outcomes_come_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for key, outcome in (
        ("aa1", Outcome.from_counts(counts([(3, 3, 1), (4, 4, 4)]))),
        ("aa2", Outcome(status="invalid", message="line 3: “é”\n")),
    ):
        assert cache.get(key) is None
        cache.put(key, outcome)
        assert cache.get(key) == outcome
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["1", "2", "aa"]


@pytest.mark.parametrize(
    "change",
    [
        {"gold_sha256": "ac"},
        {"system_sha256": "ce"},
        {"profile": "conll18"},
        {"options": Options(subtypes=True)},
        {"options": Options(punctuation="form")},
        {"options": Options(label_accuracy=True)},
        {"unit": "document"},
    ],
)
def test_whatever_changes_an_outcome_changes_its_key(change: dict[str, Any]) -> None:
    assert Cache.key(**{**USUAL, **change}) != Cache.key(**USUAL)


def test_another_version_of_the_evaluator_has_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Cache.key(**USUAL)
    monkeypatch.setattr(cache_module, "VERSION", "another")
    assert Cache.key(**USUAL) != before


def test_no_changed_byte_goes_unnoticed(tmp_path: Path) -> None:
    """A changed letter of a message would otherwise still be a message."""
    cache = Cache(tmp_path)
    cache.put("aa1", Outcome(status="invalid", message="a cycle"))
    path = tmp_path / "aa" / "1"
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert cache.get("aa1") is None
    path.write_bytes(whole)
    assert cache.get("aa1") is not None

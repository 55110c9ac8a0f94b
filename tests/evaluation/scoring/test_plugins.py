"""Profiles of third parties: the example, installed as a package; and plug-ins that fail or lie."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluation
from evaluation import (
    Comparison,
    CountMetric,
    Presentation,
    Profile,
    ProfileError,
    Table,
    TableMetric,
    Units,
    WordMetric,
)
from evaluation.scoring.profiles import plugins
from tests.evaluation.small_files import conllu
from tests.machinery.site import ROOT

GOLD = conllu("1 Bees NOUN 2 nsubj\n2 hum VERB 0 root\n3 now ADV 2 advmod\n\n1 Go VERB 0 root")
SYSTEM = conllu("1 Bees NOUN 2 nsubj\n2 hum VERB 0 root\n3 now ADV 1 advmod\n\n1 Go VERB 0 root")


def count_words(comparison: Comparison, units: Units) -> np.ndarray:
    words = units.add_up(units.gold["words"])
    return np.stack([words, words, words], axis=1)


def make(**changes: Any) -> Profile:
    profile = Profile(
        name="plugged",
        version="1",
        title="A plug-in",
        citation="Nobody",
        definitions={"Own": CountMetric(count_words)},
        main=("Own",),
        presentations={"Own": Presentation(explanation="words")},
    )
    return replace(profile, **changes)


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Install objects as entry points, as long as a test lasts."""

    def install(**objects: object) -> None:
        module = type(sys)("plugged_module")
        for name, value in objects.items():
            setattr(module, name, value)
        monkeypatch.setitem(sys.modules, "plugged_module", module)
        entries = [EntryPoint(name, f"plugged_module:{name}", plugins.GROUP) for name in objects]
        monkeypatch.setattr(plugins, "entry_points", lambda group: entries)
        monkeypatch.setattr(evaluation.PROFILES, "_plugins", None)

    yield install
    evaluation.PROFILES._plugins, evaluation.PROFILES._errors = None, {}


def test_an_installed_profile_is_one_like_any_other(plug: Callable[..., None]) -> None:
    plug(plugged=make())
    result = evaluation.score(GOLD, SYSTEM, "plugged")
    assert result.metrics["Own"].f1 == 1.0
    assert "|profile-version:1|" in result.signature
    assert "plugged" in set(evaluation.PROFILES)


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        (make(version=""), "no version"),
        (make(main=("Other",)), "does not define: Other"),
        (make(presentations={}), "Own has no presentation"),
        (make(name="other"), "its name is 'other'"),
        (make(definitions={"Own": TableMetric("none", np.sum)}), "unknown table 'none'"),
        ("a string", "not a Profile"),
    ],
)
def test_a_profile_that_contradicts_itself_is_named(
    plug: Callable[..., None], profile: object, message: str
) -> None:
    plug(plugged=profile)
    with pytest.raises(ProfileError, match=f"the profile plugged .*{message}"):
        evaluation.score(GOLD, SYSTEM, "plugged")
    # No other profile is affected.
    assert evaluation.score(GOLD, SYSTEM, "conll18").metrics["LAS"].gold == 4
    assert "plugged" not in set(evaluation.PROFILES) and "plugged" in evaluation.PROFILES.errors


def test_a_profile_that_cannot_be_imported_is_named(plug: Callable[..., None]) -> None:
    plug(plugged=make())
    entries = [EntryPoint("broken", "no_such_module:PROFILE", plugins.GROUP)]
    plugins.entry_points = lambda group: entries  # type: ignore[assignment]
    with pytest.raises(ProfileError, match=r"the profile broken .*ModuleNotFoundError"):
        evaluation.score(GOLD, SYSTEM, "broken")


def test_a_profile_cannot_replace_another_one(plug: Callable[..., None]) -> None:
    plug(conll18=make(name="conll18"))
    assert evaluation.PROFILES.errors == {"conll18": "another profile has this name"}
    assert evaluation.score(GOLD, SYSTEM, "conll18").metrics["LAS"].gold == 4


def _raise(*_: object) -> Any:
    raise ZeroDivisionError("of its own")


def _lying(comparison: Comparison, units: Units) -> np.ndarray:
    """More in each unit than in the file."""
    return count_words(comparison, units) + (units.number > 1)


def _tables(comparison: Comparison, units: Units) -> Table:
    zeros = np.zeros(units.number, dtype=np.int64)
    # As many items as there are units, which is not the same for the file.
    return Table.from_items(["a"], ["b"], units.number, unit=np.arange(units.number), row=zeros, column=zeros)


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (CountMetric(_raise), "ZeroDivisionError: of its own"),
        (CountMetric(_lying), "counts of units that add up to those of the file"),
        (CountMetric(lambda c, u: np.zeros((u.number, 2), dtype=np.int64)), "rows of three counts"),
        (CountMetric(lambda c, u: count_words(c, u) / 2), "rows of three counts"),
        (CountMetric(lambda c, u: count_words(c, u) * np.array([1, 1, 2])), "no more correct items"),
        (WordMetric((_raise,)), "ZeroDivisionError"),
        (
            WordMetric((lambda c: np.ones(1, dtype=bool),), lambda c: (np.ones(2, bool), np.ones(4, bool))),
            "Error",
        ),
        (TableMetric("table", np.sum), "tables of units that add up to that of the file"),
    ],
)
def test_sums_that_are_wrong_are_an_error_of_the_profile(
    plug: Callable[..., None], definition: Any, message: str
) -> None:
    tables = {"table": _tables} if isinstance(definition, TableMetric) else {}
    plug(plugged=make(definitions={"Own": definition}, tables=tables))
    with pytest.raises(ProfileError, match=f"the profile plugged cannot compute .*{message}"):
        evaluation.score(GOLD, SYSTEM, "plugged")
    with pytest.raises(ProfileError, match="the profile plugged cannot compute"):
        evaluation.counts_by_unit(evaluation.compare(GOLD, SYSTEM, "plugged"))


def test_a_table_with_negative_counts_is_named_as_such(plug: Callable[..., None]) -> None:
    def negative(comparison: Comparison, units: Units) -> Table:
        zeros = np.zeros(units.number, dtype=np.int64)
        cells = {"unit": np.arange(units.number), "row": zeros, "column": zeros, "count": zeros - 1}
        return Table.from_items(["a"], ["b"], units.number, **cells)

    plug(plugged=make(definitions={"Own": TableMetric("table", np.sum)}, tables={"table": negative}))
    with pytest.raises(ProfileError, match="rows and columns, whole numbers from 0"):
        evaluation.counts_by_unit(evaluation.compare(GOLD, SYSTEM, "plugged"))


def _run(folder: Path, package: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    cwd = folder if package == "arboretum" else ROOT
    command = [sys.executable, "-m", package, *arguments]
    return subprocess.run(
        command, env=environment, cwd=cwd, check=True, capture_output=True, text=True
    ).stdout


def test_the_example_gives_the_same_from_the_wheel_and_on_the_site(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    for source in ("examples/head-distance", "."):
        copy = tmp_path / Path(source).name / "source"
        ignore = shutil.ignore_patterns(".*", "tests", "sharedtask", "var", "demo", "docs", "build")
        shutil.copytree(ROOT / source, copy, ignore=ignore)
        subprocess.run([*pip, "--no-index", "--target", str(tmp_path / "installed"), str(copy)], check=True)
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_bytes(GOLD)
    system.write_bytes(SYSTEM)
    arguments = ["score", str(gold), str(system), "--profile", "head-distance", "--format", "json"]
    from_wheel = json.loads(_run(tmp_path / "installed", "arboretum", *arguments))
    # On the site, the name of the wheel must give the modules of the site.
    shutil.rmtree(tmp_path / "installed" / "arboretum")
    on_site = json.loads(_run(tmp_path / "installed", "evaluation", *arguments))
    assert from_wheel == on_site
    # One of four words has its head one word too early.
    assert on_site["metrics"]["Distance"] == {"figure": 0.25}
    assert on_site["tables"]["distances"]["counts"] == [[1, 4]]


def test_the_names_of_the_wheel_are_the_objects_of_the_site() -> None:
    program = (
        "from evaluation.alias import alias_package; alias_package()\n"
        "import arboretum, evaluation, arboretum.scoring.table as theirs, evaluation.scoring.table as ours\n"
        "assert arboretum is evaluation and theirs is ours and theirs.Table is arboretum.Table\n"
        "assert evaluation.__spec__.name == 'evaluation' and ours.__spec__.name == 'evaluation.scoring.table'"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=ROOT, check=True)

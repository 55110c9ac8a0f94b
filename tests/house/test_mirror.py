"""Tests mirror the tree: a folder per package; test modules share only support modules and fixtures."""

from __future__ import annotations

import re

from tests.machinery.site import ROOT

TESTS = ROOT / "tests"
OF_ALL_PACKAGES = {"support", "whole_site"}
WITHOUT_LOGIC = {"settings"}
"""Tested by `tests/house/test_settings.py` and by everything that runs with them."""


def folders(root: str) -> set[str]:
    hidden = ("__", ".")
    return {
        path.name for path in (ROOT / root).iterdir() if path.is_dir() and not path.name.startswith(hidden)
    }


def packages() -> set[str]:
    return {name for name in folders("sharedtask") if (ROOT / "sharedtask" / name / "__init__.py").exists()}


def test_every_package_of_the_site_has_a_folder_of_tests() -> None:
    assert folders("tests/sharedtask") == packages() - WITHOUT_LOGIC | OF_ALL_PACKAGES
    assert {"airlock", "evaluation", "serve", "sharedtask", "workers"} <= folders("tests")


def test_no_test_module_of_the_site_imports_another_one() -> None:
    """What several of them need is in `tests/sharedtask/support`, or a fixture of a `conftest.py`."""
    modules = [path for path in TESTS.rglob("*.py") if path.is_relative_to(TESTS / "sharedtask")]
    pattern = re.compile(r"^(from|import) tests\.[\w.]*\btest_\w+", re.MULTILINE)
    assert [str(path) for path in modules if pattern.search(path.read_text(encoding="utf-8"))] == []

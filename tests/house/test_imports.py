"""Imports point one way: workers -> sharedtask -> evaluation, and evaluation knows nothing of the web."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machinery.site import ROOT

STANDARD = set(sys.stdlib_module_names)
MAY_IMPORT = {
    "evaluation": STANDARD | {"evaluation", "numpy", "conllu"},
    "serve": STANDARD | {"serve", "redis"},
}
MAY_NOT_IMPORT = {"sharedtask": {"workers", "serve", "tests"}, "workers": {"serve", "tests"}}


def imports_of(file: Path) -> Iterator[tuple[int, str]]:
    """Line and top-level name of everything that a file imports, wherever in the file it does so."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module.split(".")[0]


def imports_below(package: str) -> list[tuple[str, str]]:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files, f"{package} has no Python files"
    return [(f"{file.relative_to(ROOT)}:{line}", name) for file in files for line, name in imports_of(file)]


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_package_imports_only_what_it_may(package: str) -> None:
    assert [(at, name) for at, name in imports_below(package) if name not in MAY_IMPORT[package]] == []


@pytest.mark.parametrize("package", sorted(MAY_NOT_IMPORT))
def test_package_does_not_import_upward(package: str) -> None:
    assert [(at, name) for at, name in imports_below(package) if name in MAY_NOT_IMPORT[package]] == []


def test_an_import_inside_a_function_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "hidden.py"
    file.write_text("def f():\n    from workers.tasks import check_run\n")
    assert list(imports_of(file)) == [(2, "workers")]

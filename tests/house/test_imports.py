"""Imports point one way: workers -> sharedtask -> airlock -> evaluation, and in the site downward."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from airlock import decompression
from evaluation.archives import decompress
from tests.machinery.site import ROOT

STANDARD = set(sys.stdlib_module_names)
OF_THE_CLIENT = {"argcomplete", "platformdirs"}
"""Only commands and the client know a network, a configuration and a shell."""
MAY_IMPORT = {
    "airlock": STANDARD | {"airlock", "backports", "docker", "requests"},
    "evaluation": STANDARD | {"evaluation", "conllu", "numpy"} | OF_THE_CLIENT,
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


def test_the_evaluator_itself_knows_no_network() -> None:
    elsewhere = [
        (at, name)
        for at, name in imports_below("evaluation")
        if name in OF_THE_CLIENT and not at.startswith(("evaluation/client/", "evaluation/cli/"))
    ]
    assert elsewhere == []


def test_the_airlock_takes_nothing_but_decompression_from_the_evaluator() -> None:
    """By name: in the wheel the evaluator is the package around it."""
    texts = {file.relative_to(ROOT): file.read_text() for file in (ROOT / "airlock").rglob("*.py")}
    assert [str(file) for file, text in texts.items() if "import_module(" in text] == [
        "airlock/decompression.py"
    ]
    assert decompression.DecompressedFile is decompress.DecompressedFile
    assert decompression.EVALUATOR == "evaluation"


def test_an_import_inside_a_function_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "hidden.py"
    file.write_text("def f():\n    from workers.tasks import check_run\n")
    assert list(imports_of(file)) == [(2, "workers")]


ORDER = (
    "core",
    "visibility",
    "work",
    "accounts",
    "competition",
    "teams",
    "uploads",
    "scorers",
    "submissions",
    "software",
    "folders",
    "standings",
    "analysis",
    "leaderboard",
    "curves",
    "cascades",
    "judgements",
    "archive",
    "overview",
    "api",
    "operations",
    "content",
)
"""The site's packages, the lowest first: each may import those before it, and no others."""


def package_of(name: str) -> str:
    """The site's package that a dotted name lies in; empty for settings, urls and what is not the site's."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "sharedtask" and parts[1] in ORDER else ""


def dotted_imports_of(file: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a file imports; the site has no relative imports."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno} has a relative import"
            yield from ((node.lineno, f"{node.module}.{name.name}") for name in node.names)


def imports_that_point_upward(package: Path) -> list[str]:
    own = ORDER.index(package.name)
    return [
        f"{file.relative_to(package.parent.parent)}:{line} imports {name}"
        for file in sorted(package.rglob("*.py"))
        for line, name in dotted_imports_of(file)
        if (there := package_of(name)) and ORDER.index(there) > own
    ]


def test_every_package_of_the_site_has_its_place_in_the_order() -> None:
    packages = {file.parent.name for file in (ROOT / "sharedtask").glob("*/__init__.py")}
    assert packages - {"settings"} == set(ORDER)


@pytest.mark.parametrize("package", ORDER)
def test_no_package_of_the_site_imports_one_above_it(package: str) -> None:
    assert imports_that_point_upward(ROOT / "sharedtask" / package) == []


def test_an_import_that_points_upward_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "sharedtask" / "competition"
    package.mkdir(parents=True)
    (package / "late.py").write_text("def f():\n    from sharedtask.teams.models import Team\n")
    assert imports_that_point_upward(package) == [
        "sharedtask/competition/late.py:2 imports sharedtask.teams.models.Team"
    ]

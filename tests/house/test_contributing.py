"""CONTRIBUTING.md is true: what it names exists, and its walks have as many modules as it says."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.house.test_imports import ORDER
from tests.machinery.site import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATH = re.compile(r"`((?:\.\./)?[\w.-]+(?:/[\w.-]+)*/?)`")
WRITTEN = ("var/", "../shared/")
"""What only a run of the tests or the real data bring."""
FILE = re.compile(r"\w+\.(?:py|md)")
NUMBERS = {"ten": 10, "eleven": 11, "twelve": 12}


def sections(text: str) -> list[str]:
    return re.split(r"^## ", text, flags=re.MULTILINE)[1:]


def missing_paths(section: str) -> Iterator[str]:
    """Paths from the root, and names of files that are in none of the folders of these paths."""
    named = PATH.findall(section)
    folders = {ROOT}
    for path in named:
        if "/" in path and not path.startswith(WRITTEN):
            place = ROOT / path
            if place.exists():
                folders.add(place if place.is_dir() else place.parent)
            else:
                yield path
    for name in named:
        if FILE.fullmatch(name) and not any((folder / name).exists() for folder in folders):
            yield name


@pytest.mark.parametrize("section", sections(TEXT), ids=lambda section: section.splitlines()[0])
def test_every_path_exists(section: str) -> None:
    assert list(missing_paths(section)) == []


def test_a_path_that_does_not_exist_is_seen() -> None:
    section = "`evaluation/reading/read.py`, `trees.py`, `ships.py`, `evaluation/writing/`, `/docs/`"
    assert list(missing_paths(section)) == ["evaluation/writing/", "ships.py"]


@pytest.mark.parametrize("walk", ["An upload", "A view of the leaderboard", "A gold fix"])
def test_a_walk_has_as_many_modules_as_it_says(walk: str) -> None:
    text = TEXT.partition(f"**{walk}**")[2].partition("\n\n|")
    (number,) = {NUMBERS[word] for word in re.findall(r"\w+", text[0]) if word in NUMBERS}
    table = text[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([\d–]+) \|", table, flags=re.MULTILINE)
    assert int(rows[-1].rpartition("–")[2]) == number
    steps = [step for row in rows for step in steps_of(row)]
    assert steps == list(range(1, number + 1))


def steps_of(row: str) -> range:
    """`3–5` stands for three steps."""
    first, _, last = row.partition("–")
    return range(int(first), int(last or first) + 1)


def test_the_table_of_packages_is_in_the_order_of_imports() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \|", TEXT, flags=re.MULTILINE)) == ORDER

"""No page knows a metric by its name: what is shown, and how, comes from the profile of the task.

Some metrics are named after columns of CoNLL-U files or after things that are counted in gold. Such a name is
a metric where it is a whole string of the program or is compared with in a template; as a heading in the text
of a template it is a word like any other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from evaluation import PROFILES

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "sharedtask"
# Loaders of old tasks and the demo know what they load.
CONTENT = SITE / "content"

WORDS_TOO = frozenset({"Tokens", "Sentences", "Words", "UPOS", "XPOS", "Lemmas"})
NAMES = frozenset({"LA"}.union(*(profile.metrics for profile in PROFILES.values())))
ONLY_METRICS = NAMES - WORDS_TOO

NAMED = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, sorted(ONLY_METRICS)))})(?!\w)")
COMPARED = re.compile(rf"""[=!]=\s*["']({"|".join(map(re.escape, sorted(NAMES)))})["']""")

# Columns of a CoNLL-U file that carry the name of a metric: where the word stands in the file, no figure.
COLUMNS = {
    "sharedtask/analysis/word_table.py": {"UPOS"},
    "sharedtask/leaderboard/system/breakdown_tables.py": {"UPOS"},
}


def of_site(*endings: str) -> Iterator[Path]:
    for path in sorted(SITE.rglob("*")):
        if path.suffix in endings and CONTENT not in path.parents and "migrations" not in path.parts:
            yield path


def named_in_module(path: Path) -> Iterator[str]:
    """Strings, docstrings among them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            matches = set(NAMED.findall(node.value)) | ({node.value} & NAMES)
            for name in sorted(matches - allowed(path)):
                yield place(path, node.lineno, name)


def named_in_text(path: Path) -> Iterator[str]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        for name in sorted({*NAMED.findall(line), *COMPARED.findall(line)} - allowed(path)):
            yield place(path, number, name)


def allowed(path: Path) -> set[str]:
    return COLUMNS.get(path.relative_to(ROOT).as_posix(), set())


def place(path: Path, line: int, name: str) -> str:
    return f"{path.relative_to(ROOT)}:{line}: {name}"


def test_no_module_of_the_site_names_a_metric() -> None:
    ones = [item for path in of_site(".py") for item in named_in_module(path)]
    assert not ones, "\n" + "\n".join(ones)


def test_no_template_or_script_names_a_metric() -> None:
    ones = [item for path in of_site(".html", ".txt", ".js", ".css") for item in named_in_text(path)]
    assert not ones, "\n" + "\n".join(ones)


def test_what_is_looked_for_would_be_found(tmp_path: Path) -> None:
    assert NAMED.findall("<strong>LAS</strong> and MLAS") == ["LAS", "MLAS"]
    assert not NAMED.findall("CLASS Words")
    assert COMPARED.findall("""{% if metric == "Words" %}""") == ["Words"]

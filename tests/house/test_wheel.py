"""`pip wheel .`: the evaluator alone, importable as `arboretum` with nothing of the site beside it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import evaluation
from tests.machinery.site import ROOT

SCORE = """
import sys
import arboretum
gold = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
print(arboretum.score(gold, gold, profile="conll17").metrics["LAS"].f1)
print([name for name in ("evaluation", "sharedtask", "django") if name in sys.modules])
"""

FOLDER_NAMES = ("python -m evaluation", "import evaluation", "from evaluation")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Without isolation, so that nothing is fetched: setuptools is among the requirements for development.
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(ROOT)], check=True)
    (path,) = folder.glob("arboretum-*-py3-none-any.whl")
    return path


def test_the_wheel_holds_the_evaluator_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = {name for name in archive.namelist() if ".dist-info/" not in name}
    sources = {
        f"arboretum/{path.relative_to(ROOT / 'evaluation').as_posix()}"
        for path in (ROOT / "evaluation").rglob("*")
        if path.suffix in (".py", ".css", ".classes") or path.name == "py.typed"
    }
    assert members == sources


def test_the_wheel_scores_without_the_site(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    score = [sys.executable, "-c", SCORE]
    environment = {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(score, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["1.0", "[]"]
    version = [sys.executable, "-m", "arboretum", "--version"]
    done = subprocess.run(version, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"arboretum evaluation {evaluation.VERSION}\n"
    usage = [sys.executable, "-m", "arboretum", "--help"]
    done = subprocess.run(usage, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: python -m arboretum ")


def test_the_version_of_the_wheel_is_that_of_the_evaluator(wheel: Path) -> None:
    assert wheel.name == f"arboretum-{evaluation.VERSION}-py3-none-any.whl"


def test_no_text_of_the_wheel_names_the_folder_of_the_repository(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")}
    named = [name for name, text in texts.items() for words in FOLDER_NAMES if words in text]
    assert named == []

"""`pip wheel .`: the evaluator, the client and the airlock, importable as `arboretum` without the site."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import evaluation
from serve.wheel import build
from tests.machinery.site import ROOT

SCORE = """
import sys
import arboretum
gold = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
print(arboretum.score(gold, gold, profile="conll17").metrics["LAS"].f1)
print([name for name in ("evaluation", "sharedtask", "django", "http.client") if name in sys.modules])
print(arboretum.Client.__module__)
"""

UNPACK = """
import gzip, io, sys
from arboretum.airlock.images.compression import Unpacked, decompressor_for
from arboretum.airlock.images.limits import ImageLimits
packed = gzip.compress(b"trees")
unpacked = Unpacked(io.BytesIO(packed), decompressor_for(packed, "x"), limits=ImageLimits(), where="x")
print(unpacked.read(100))
print(type(unpacked.content).__module__)
print([name for name in ("evaluation", "airlock", "sharedtask") if name in sys.modules])
"""

FOLDER_NAMES = (
    "python -m evaluation",
    "import evaluation",
    "from evaluation",
    "from airlock",
    "import airlock",
)
SUFFIXES = (".py", ".css", ".classes", ".json")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("wheel"))


def placed(folder: str, place: str) -> set[str]:
    return {
        f"{place}/{path.relative_to(ROOT / folder).as_posix()}"
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SUFFIXES or path.name == "py.typed"
    }


def test_the_wheel_holds_evaluator_client_and_airlock_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = {name for name in archive.namelist() if ".dist-info/" not in name}
        described = {name.split("/")[-1] for name in archive.namelist() if ".dist-info/" in name}
    assert members == placed("evaluation", "arboretum") | placed("airlock", "arboretum/airlock")
    assert "arboretum/py.typed" in members
    assert described == {"METADATA", "WHEEL", "RECORD", "LICENSE", "entry_points.txt", "top_level.txt"}


def test_the_wheel_needs_few_packages_and_none_of_the_site(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        lines = archive.read(metadata).decode().splitlines()
    needed = {line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")}
    assert {text for text in needed if "extra" not in text} == {
        "argcomplete>=3.5",
        "conllu>=6",
        "numpy>=2",
        "platformdirs>=4",
    }
    assert {text.split(">")[0] for text in needed if 'extra == "airlock"' in text} == {
        "backports.zstd",
        "docker",
        "requests",
    }


def test_the_wheel_scores_without_the_site(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    score = [sys.executable, "-c", SCORE]
    environment = {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(score, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["1.0", "[]", "arboretum.client.client"]
    version = [sys.executable, "-m", "arboretum", "--version"]
    done = subprocess.run(version, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"arboretum {evaluation.VERSION}\n"
    usage = [sys.executable, "-m", "arboretum", "--help"]
    done = subprocess.run(usage, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: arboretum COMMAND …")


def test_the_airlock_of_the_wheel_unpacks_with_its_evaluator(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", UNPACK],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["b'trees'", "arboretum.archives.decompress", "[]"]


def test_the_version_of_the_wheel_is_that_of_the_evaluator(wheel: Path) -> None:
    assert wheel.name == f"arboretum-{evaluation.VERSION}-py3-none-any.whl"


def test_no_text_of_the_wheel_names_the_folder_of_the_repository(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")}
    named = [name for name, text in texts.items() for words in FOLDER_NAMES if words in text]
    assert named == []


def test_the_same_sources_are_built_once(wheel: Path) -> None:
    before = (wheel.read_bytes(), wheel.stat().st_mtime_ns)
    assert build(ROOT, wheel.parent) == wheel
    assert (wheel.read_bytes(), wheel.stat().st_mtime_ns) == before
    (wheel.parent / "sources.sha256").write_text("of an older version")
    (wheel.parent / "arboretum-0.9.0-py3-none-any.whl").write_bytes(b"")
    assert build(ROOT, wheel.parent) == wheel
    assert [path.name for path in wheel.parent.glob("*.whl")] == [wheel.name]
    assert wheel.read_bytes() == before[0]

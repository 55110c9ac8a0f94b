"""The example images are built from Debian packages, pass the check, and contain their parsers."""

from __future__ import annotations

import importlib.util
import json
import sys
import tarfile
from io import BytesIO
from types import ModuleType

import pytest

from airlock.images import rewrite
from tests.machinery.example_images import example_image
from tests.machinery.site import ROOT

MEBIBYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("name", "program", "largest"),
    [("awk", "/bin/busybox", 3 * MEBIBYTE), ("python", "/usr/bin/python3", 40 * MEBIBYTE)],
)
def test_example_image_is_small_and_passes_the_check(name: str, program: str, largest: int) -> None:
    target = BytesIO()
    with example_image(name).open("rb") as source:
        image = rewrite(source, target)
    assert image.command[0].startswith(program)
    assert MEBIBYTE < image.size_bytes < largest
    target.seek(0)
    with tarfile.open(fileobj=target) as archive:
        (layer,) = [info for info in archive if info.name.endswith(".tar")]
        with tarfile.open(fileobj=archive.extractfile(layer)) as files:
            names = {info.name: info for info in files}
            parser = files.extractfile(names[f".{image.command[-1]}"])
            assert parser is not None
            assert parser.read() == (ROOT / "examples" / name / image.command[-1][1:]).read_bytes()
    assert f".{image.command[0]}" in names
    assert {info.mtime for info in names.values()} == {0}
    assert not any("/share/doc/" in path for path in names)


def test_archive_is_what_docker_loads_and_depends_on_nothing_but_its_files() -> None:
    module = build_script()
    files = [(tarfile.TarInfo("./a"), b"x"), (tarfile.TarInfo("./b"), b"y")]
    files[0][0].mtime, files[0][0].uname = 1e9, "builder"
    packed = module.pack(files)
    assert packed == module.pack([(tarfile.TarInfo("./a"), b"x"), (tarfile.TarInfo("./b"), b"y")])
    with tarfile.open(example_image("awk")) as archive:
        manifest = json.loads(archive.extractfile("manifest.json").read())  # type: ignore[union-attr]
    assert manifest[0]["RepoTags"] == ["example-awk:latest"]


def build_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_image", ROOT / "examples" / "build_image.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its data classes look up their own module.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "build_image", module)
        spec.loader.exec_module(module)
    return module

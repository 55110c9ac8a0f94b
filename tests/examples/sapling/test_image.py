"""The recipe of Sapling's image: what is in it besides Debian packages, and what its labels declare."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.machinery.site import ROOT

EXAMPLES = ROOT / "examples"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_image", EXAMPLES / "build_image.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its data classes look up their own module.
    monkeypatch.setitem(sys.modules, "build_image", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(
        module, "run", lambda *command, **_: b"python3-minimal\n  Depends: python3.11-minimal\n"
    )
    return module


def test_the_image_declares_that_it_honours_constraints_and_trains(script: ModuleType) -> None:
    recipe = script.recipe_of("sapling", has_models=True)
    assert dict(recipe.labels) == {
        "arboretum.constraints": "honoured",
        "arboretum.projective": "yes",
        "arboretum.train": "yes",
    }
    without_models = dict(script.recipe_of("sapling").labels)
    assert without_models["arboretum.train"] == "only", "it cannot parse before it has been trained"
    assert recipe.command[-4:] == ("-m", "sapling", "run", "/models")
    assert "python3-numpy" in recipe.packages
    assert script.recipe_of("python").labels == ()


def test_the_image_has_the_parser_and_its_models(script: ModuleType, tmp_path: Path) -> None:
    modules = dict(script.files_of(EXAMPLES / "sapling" / "sapling", "sapling"))
    assert modules["./sapling/eisner.py"] == (EXAMPLES / "sapling" / "sapling" / "eisner.py").read_bytes()
    assert all(path.endswith(".py") for path in modules)
    (tmp_path / "fr.model").write_bytes(b"weights")
    assert dict(script.files_of(tmp_path, "models")) == {"./models/fr.model": b"weights"}
    single = dict(script.files_of(EXAMPLES / "sapling" / "README.md", "README.md"))
    assert list(single) == ["./README.md"]

"""Trying an image locally: the same check, the same airlock, outputs in a folder, nothing left over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from airlock.engine import AirlockError, Engine, Limits
from airlock.engine.archive import build_archive
from airlock.images import ImageRefused
from airlock.try_image import Event, try_image
from tests.airlock.images.build import docker_archive
from tests.machinery.engines import find_busybox
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    (folder / "en_par.txt").write_text("Birds sing.\n")
    (folder / ".DS_Store").write_text("nothing for systems")
    return folder


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image.tar"
    path.write_bytes(docker_archive())
    return path


def scripted(written: Mapping[str, bytes]) -> tuple[ScriptedEngine, Engine]:
    engine = ScriptedEngine(script=Script(write=lambda files: written))
    return engine, cast(Engine, engine)


def test_outputs_are_left_in_the_folder_and_missing_ones_are_named(
    image: Path, inputs: Path, tmp_path: Path
) -> None:
    (inputs / "de_garten.txt").write_text("Vögel singen.\n")
    script, engine = scripted({"en_par.conllu": b"a tree", "models/notes.txt": b"more"})
    events: list[Event] = []
    trial = try_image(image, inputs, tmp_path / "outputs", engine=engine, on_event=events.append)
    assert trial.written == ("en_par.conllu", "models/notes.txt")
    assert trial.missing == ("de_garten.conllu",)
    assert (tmp_path / "outputs/en_par.conllu").read_bytes() == b"a tree"
    assert [event.step for event in events] == ["engine", "image", "loaded", "started", "running", "ended"]
    assert set(script.started[0].inputs) == {"de_garten.txt", "en_par.txt", "metadata.json"}
    assert script.runs == {} and script.images == set(), "the engine is as it was before"


def test_an_image_that_was_there_before_stays(image: Path, inputs: Path, tmp_path: Path) -> None:
    script, engine = scripted({})
    first = try_image(image, inputs, tmp_path / "first", engine=engine).image
    script.images.add(first.image_id)
    try_image(image, inputs, tmp_path / "second", engine=engine)
    assert script.images == {first.image_id}


def test_an_image_that_the_site_refuses_is_refused_at_home(inputs: Path, tmp_path: Path) -> None:
    path = tmp_path / "image.tar"
    path.write_bytes(b"FROM debian")
    with pytest.raises(ImageRefused, match="docker save --platform linux/amd64"):
        try_image(path, inputs, tmp_path / "outputs", engine=scripted({})[1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"inputs": "nowhere"}, "not a folder with inputs"),
        ({"inputs": "empty"}, "neither metadata.json nor a raw text"),
        ({"outputs": "inputs"}, "not empty"),
        ({"image": "nowhere.tar"}, "nowhere.tar cannot be read: No such file"),
        ({"metadata": "[{}]"}, "not a list of entries with an outfile"),
    ],
)
def test_what_cannot_be_used_is_said_in_words(
    change: dict[str, str], words: str, image: Path, inputs: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    if "metadata" in change:
        (inputs / "metadata.json").write_text(change["metadata"])
    with pytest.raises(AirlockError, match=words):
        try_image(
            tmp_path / change.get("image", "image.tar"),
            tmp_path / change.get("inputs", "inputs"),
            tmp_path / change.get("outputs", "outputs"),
            engine=scripted({})[1],
        )


def test_a_system_runs_at_home_as_on_the_server(docker_engine: Engine, inputs: Path, tmp_path: Path) -> None:
    """It copies its input, leaves a link, and finds no network."""
    lines = ["b=/bin/busybox", "$b cp $1/en_par.txt $2/en_par.conllu", "$b ln -s / $2/link"]
    lines += ["$b ls /sys/class/net > $2/network"]
    built = build_archive(
        {"bin/busybox": find_busybox().read_bytes(), "script": "\n".join(lines).encode()},
        name="home",
        command=["/bin/busybox", "sh", "/script"],
        config={"Volumes": {"/data": {}}},
    )
    path = tmp_path / "home.tar"
    path.write_bytes(built.content)
    images = docker_engine.image_ids()
    limits = Limits(memory_bytes=64 * 2**20, wall_seconds=60)
    trial = try_image(path, inputs, tmp_path / "outputs", limits=limits, engine=docker_engine)
    assert trial.outcome.exit_code == 0, trial.outcome.log_tail
    assert (tmp_path / "outputs/en_par.conllu").read_text() == "Birds sing.\n"
    assert (tmp_path / "outputs/network").read_text().split() == ["lo"]
    assert trial.problems == ("link: a symbolic link",)
    assert docker_engine.run_ids() == set() and docker_engine.image_ids() == images

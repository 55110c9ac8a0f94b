"""Trying an image locally: the same check, the same airlock, outputs in a folder, nothing left over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from airlock.engine import AirlockError, Engine, Limits
from airlock.engine.archive import build_archive
from airlock.images import ImageRefused
from airlock.try_image import Event, try_image
from evaluation.cli import main
from tests.airlock.images.build import configuration, docker_archive
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


@pytest.fixture
def crash(monkeypatch: pytest.MonkeyPatch) -> Script:
    """The command runs images on an engine where every system prints something and fails."""
    script = Script(write=lambda files: {}, exit_code=3, log=b"starting\n\x1b]0;x\x07\nno model at /model\n")
    monkeypatch.setattr("airlock.try_image.connect", lambda: ScriptedEngine(script=script))
    return script


@pytest.mark.usefixtures("crash")
def test_the_command_shows_what_a_system_has_printed(
    image: Path, inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["try-image", str(image), str(inputs), "-o", str(tmp_path / "first")]) == 1
    printed = capsys.readouterr()
    assert "\nno model at /model\n" in printed.err and "\x1b" not in printed.err
    assert printed.out == "en_par.conllu: missing\n"
    assert main(["try-image", str(image), str(inputs), "-o", str(tmp_path / "second"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["log"].splitlines()[-1] == "no model at /model"


def test_a_long_log_is_shown_from_its_end(
    crash: Script, image: Path, inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crash.log = b"".join(b"line %d\n" % number for number in range(1000))
    main(["try-image", str(image), str(inputs), "-o", str(tmp_path / "outputs")])
    error = capsys.readouterr().err
    assert error.endswith("line 999\n") and "line 500\n" not in error


@pytest.mark.usefixtures("crash")
def test_a_refusal_by_the_command_has_the_id_of_the_site(
    inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "image.tar"
    path.write_bytes(docker_archive(config=configuration(architecture="arm64")))
    assert main(["try-image", str(path), str(inputs), "-o", str(tmp_path / "outputs"), "--json"]) == 1
    printed = capsys.readouterr()
    error = json.loads(printed.out)["error"]
    assert error["id"] == "wrong-platform" and "docker save --platform linux/amd64" in error["message"]
    assert printed.err.endswith("[wrong-platform]\n")


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

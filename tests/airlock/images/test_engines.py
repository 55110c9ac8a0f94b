"""Both engines load what was written, under the id that was announced, and give the same image back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from io import BytesIO

import docker
import pytest

import evaluation
from airlock.engine import Engine, RunSpec
from airlock.images import Image, rewrite
from tests.airlock.images import build
from tests.airlock.images.build import PROGRAM, SECOND
from tests.machinery.example_images import example_image
from tests.machinery.site import ROOT

LAYERS = {
    "two layers": (PROGRAM, SECOND),
    "the same layer twice": (PROGRAM, SECOND, PROGRAM),
    "deletions and links": (
        build.pack(build.member("a/file"), build.symlink("b", "a"), build.hard_link("c", "a/file")),
        build.pack(build.member("a/.wh.file"), build.directory("b"), build.member("b/.wh..wh..opq")),
    ),
}
TRICKS = {
    "Volumes": {"/data": {}},
    "Healthcheck": {"Test": ["CMD", "/bin/spy"], "Interval": 1_000_000_000},
    "OnBuild": ["RUN /bin/spy"],
    "Labels": {"maintainer": "team"},
    "User": "0:0",
    "ExposedPorts": {"80/tcp": {}},
    "StopSignal": "SIGSTOP",
}


@pytest.fixture(params=["docker_engine", "podman_engine"])
def engine(request: pytest.FixtureRequest) -> Engine:
    engine: Engine = request.getfixturevalue(request.param)
    return engine


@pytest.fixture
def client(engine: Engine) -> Iterator[docker.APIClient]:
    client = docker.APIClient(base_url=engine.facts.url, version="1.41")
    yield client
    client.close()


def written(archive: bytes) -> tuple[Image, BytesIO]:
    target = BytesIO()
    image = rewrite(BytesIO(archive), target)
    target.seek(0)
    return image, target


@pytest.mark.parametrize("case", LAYERS)
def test_engine_loads_the_image_and_saves_the_same_again(
    engine: Engine, client: docker.APIClient, case: str
) -> None:
    image, archive = written(build.docker_archive(LAYERS[case]))
    engine.load(archive, image.image_id)
    try:
        saved = b"".join(client.get_image(image.name))
        again, bytes_again = written(saved)
        assert again == image
        assert bytes_again.getvalue() == archive.getvalue()
    finally:
        engine.remove_image(image.image_id)


def test_engine_finds_no_trick_in_the_loaded_image(engine: Engine, client: docker.APIClient) -> None:
    config = build.configuration(config={"Entrypoint": ["/bin/parse"], **TRICKS})
    image, archive = written(build.docker_archive(config=config))
    engine.load(archive, image.image_id)
    try:
        description = client.inspect_image(image.image_id)
        assert [tag for tag in description["RepoTags"] if tag] == [image.name]
        assert description["Config"]["Entrypoint"] == ["/bin/parse"]
        assert {key: description["Config"].get(key) or None for key in TRICKS} == dict.fromkeys(TRICKS)
    finally:
        engine.remove_image(image.image_id)


def test_tag_of_an_archive_replaces_no_image(engine: Engine, client: docker.APIClient) -> None:
    first, first_archive = written(build.docker_archive((PROGRAM,)))
    engine.load(first_archive, first.image_id)
    # The second team gives its image the name of the first one.
    files = build.docker_files((SECOND,))
    hijacking = {
        "manifest.json": files["manifest.json"].replace(b"debian:latest", first.name.encode()),
    }
    second, second_archive = written(build.archive(files | hijacking))
    engine.load(second_archive, second.image_id)
    try:
        assert f"sha256:{client.inspect_image(first.name)['Id'].removeprefix('sha256:')}" == first.image_id
        assert engine.has_image(second.image_id)
    finally:
        engine.remove_image(first.image_id)
        engine.remove_image(second.image_id)


@pytest.mark.parametrize("name", ["awk", "python"])
def test_example_image_parses_in_the_airlock(docker_engine: Engine, name: str) -> None:
    gold = evaluation.read(ROOT / "demo/gold/en_par.conllu")
    text = evaluation.raw_text(gold)
    metadata = [
        {"lcode": "en", "tcode": "par", "ltcode": "en_par", "rawfile": "en.txt", "outfile": "en.conllu"}
    ]
    image, archive = written(example_image(name).read_bytes())
    docker_engine.load(archive, image.image_id)
    inputs = {"metadata.json": build.encode(metadata), "en.txt": text.encode()}
    running = docker_engine.start(RunSpec(run_id=f"example-{name}", image_id=image.image_id, inputs=inputs))
    try:
        while running.observe().state == "running":
            time.sleep(0.1)
        assert running.finish().exit_code == 0
        outputs = {output.name: output.stream.read() for output in running.outputs() if output.stream}
    finally:
        running.remove()
        docker_engine.remove_image(image.image_id)
    assert list(outputs) == ["en.conllu"]
    assert evaluation.validate(outputs["en.conllu"], text=text).valid

"""The same image gives the same archive whatever it came in, and nothing else of what came is in it."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from io import BytesIO

import pytest

from airlock.images import Image, ImageLimits, image_name, rewrite
from airlock.images.labels import CONSTRAINTS, TRAIN
from tests.airlock.images import build
from tests.airlock.images.build import PROGRAM, SECOND, sha256

LAYERS = (PROGRAM, SECOND)


def written(archive: bytes, limits: ImageLimits | None = None) -> tuple[Image, bytes]:
    target = BytesIO()
    image = rewrite(BytesIO(archive), target, limits=limits)
    return image, target.getvalue()


def files_of(archive: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        return {info.name: packed.extractfile(info).read() for info in packed}  # type: ignore[union-attr]


def configuration_of(archive: bytes) -> dict[str, object]:
    files = files_of(archive)
    document: dict[str, object] = json.loads(files[json.loads(files["manifest.json"])[0]["Config"]])
    return document


FORMS: dict[str, Callable[[], bytes]] = {
    "docker": lambda: build.docker_archive(LAYERS),
    "docker, gzip": lambda: gzip.compress(build.docker_archive(LAYERS)),
    "docker, two gzip streams": lambda: b"".join(
        gzip.compress(part)
        for part in (build.docker_archive(LAYERS)[:700], build.docker_archive(LAYERS)[700:])
    ),
    "docker, zstd": lambda: build.zstd_compress(build.docker_archive(LAYERS)),
    "docker, gzip layers": lambda: build.archive(
        build.docker_files(LAYERS, packed=[gzip.compress(layer) for layer in LAYERS])
    ),
    "docker 25": lambda: build.oci_archive(
        LAYERS, packed=LAYERS, layer_type=f"{build.OCI}layer.v1.tar", with_docker=True
    ),
    "oci": lambda: build.oci_archive(LAYERS),
    "oci, zstd layers": lambda: build.oci_archive(
        LAYERS, packed=[build.zstd_compress(x) for x in LAYERS], layer_type=f"{build.OCI}layer.v1.tar+zstd"
    ),
    "oci, zstd": lambda: build.zstd_compress(build.oci_archive(LAYERS)),
    "oci of several platforms": lambda: build.oci_archive(LAYERS, nested=True),
}


@pytest.mark.parametrize("form", FORMS)
def test_same_image_gives_the_same_bytes_in_every_form(form: str) -> None:
    expected, expected_bytes = written(build.docker_archive(LAYERS))
    image, archive = written(FORMS[form]())
    assert archive == expected_bytes
    assert image == expected


def test_description_is_that_of_the_written_archive() -> None:
    image, archive = written(build.oci_archive(LAYERS))
    files = files_of(archive)
    name = f"{image.image_id.removeprefix('sha256:')}.json"
    assert list(files) == ["manifest.json", name, f"{sha256(PROGRAM)}.tar", f"{sha256(SECOND)}.tar"]
    assert sha256(files[name]) == image.image_id.removeprefix("sha256:")
    assert json.loads(files["manifest.json"]) == [
        {"Config": name, "RepoTags": [image.name], "Layers": list(files)[2:]}
    ]
    assert list(files.values())[2:] == list(LAYERS)
    assert (image.sha256, image.size_bytes) == (sha256(archive), len(archive))
    assert (image.architecture, image.command, image.layers) == ("amd64", ("/bin/parse",), 2)
    assert (image.uncompressed_bytes, image.members) == (len(PROGRAM) + len(SECOND), 4)


def test_name_is_ours_and_contains_the_id() -> None:
    image, archive = written(build.docker_archive())
    assert image.name == image_name(image.image_id) == f"localhost/arboretum/image:{image.image_id[7:]}"
    assert b"debian" not in archive


def test_configuration_keeps_only_what_a_run_needs() -> None:
    settings = {
        "User": "root",
        "Volumes": {"/data": {}},
        "Healthcheck": {"Test": ["CMD", "/bin/spy"]},
        "OnBuild": ["RUN /bin/spy"],
        "Shell": ["/bin/spy"],
        "StopSignal": "SIGSTOP",
        "StopTimeout": 100000,
        "ExposedPorts": {"80/tcp": {}},
        "Labels": {"maintainer": "team", "io.podman.annotations.userns": "host"},
        "ArgsEscaped": True,
        "Unknown": 1,
        "Entrypoint": ["/bin/parse", "--fast"],
        "Cmd": ["--model", "größe"],
        "Env": ["PATH=/bin", "EMPTY="],
        "WorkingDir": "//srv/./parser/",
    }
    config = build.configuration(config=settings, author="Eve", container_config={"User": "root"}, id="x")
    image, archive = written(build.docker_archive(config=config))
    document = configuration_of(archive)
    assert document == {
        "architecture": "amd64",
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "history": [{"created": "1970-01-01T00:00:00Z"}],
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(PROGRAM)}"]},
        "config": {
            "Entrypoint": ["/bin/parse", "--fast"],
            "Cmd": ["--model", "größe"],
            "Env": ["PATH=/bin", "EMPTY="],
            "WorkingDir": "/srv/parser",
        },
    }
    assert image.command == ("/bin/parse", "--fast", "--model", "größe")
    assert image.labels == settings["Labels"]
    assert b"maintainer" not in archive and b"spy" not in archive


def test_labels_that_declare_something_about_the_system_are_kept_and_no_others() -> None:
    labels = {"maintainer": "team", CONSTRAINTS: "honoured", TRAIN: "yes"}
    config = build.configuration(config={"Cmd": ["/bin/parse"], "Labels": labels})
    image, archive = written(build.docker_archive(config=config))
    assert configuration_of(archive)["config"] == {"Cmd": ["/bin/parse"], "Labels": dict(image.declares)}
    assert image.declares == {"arboretum.constraints": "honoured", "arboretum.train": "yes"}
    again, archive_again = written(archive)
    assert (again.image_id, archive_again) == (image.image_id, archive), "a rewritten image stays as it is"


def test_empty_settings_are_equal_to_missing_ones() -> None:
    few = {"Cmd": ["/bin/parse"]}
    many = {"Cmd": ["/bin/parse"], "Entrypoint": None, "Env": [], "WorkingDir": "/", "Labels": None}
    archives = [
        written(build.docker_archive(config=build.configuration(config=config))) for config in (few, many)
    ]
    assert archives[0] == archives[1]


def test_layer_that_occurs_twice_is_written_once() -> None:
    image, archive = written(build.docker_archive((PROGRAM, SECOND, PROGRAM)))
    files = files_of(archive)
    layers = json.loads(files["manifest.json"])[0]["Layers"]
    assert layers == [f"{sha256(layer)}.tar" for layer in (PROGRAM, SECOND, PROGRAM)]
    assert (len(files), image.layers) == (4, 3)


def test_layer_can_be_a_link_to_an_equal_one_as_docker_wrote_it() -> None:
    files = build.docker_files((PROGRAM, PROGRAM))
    first, second = list(files)[:2]
    members = [build.member(name, data) for name, data in files.items() if name != second]
    archive = build.pack(*members, build.symlink(second, f"../{first}"))
    assert written(archive) == written(build.docker_archive((PROGRAM, PROGRAM)))


def test_image_of_several_names_is_one_image() -> None:
    files = build.oci_files()
    index = json.loads(files["index.json"])
    names = [{"annotations": {"org.opencontainers.image.ref.name": name}} for name in ("a", "b")]
    index["manifests"] = [index["manifests"][0] | name for name in names]
    assert written(build.archive(files | {"index.json": build.encode(index)})) == written(build.oci_archive())


def test_other_architecture_can_be_configured() -> None:
    config = build.configuration(architecture="arm64", variant="v8")
    image, archive = written(build.docker_archive(config=config), ImageLimits(architecture="arm64"))
    assert image.architecture == "arm64"
    assert configuration_of(archive)["architecture"] == "arm64"


def test_deletions_links_and_long_names_of_honest_images_are_accepted() -> None:
    long = "/".join(["directory"] * 30) + "/file"
    lower = build.pack(
        build.directory("./"),
        build.directory("./usr/bin/"),
        build.directory("./usr/bin/"),
        build.symlink("./bin", "usr/bin"),
        build.symlink("./lib", "/usr/lib"),
        build.member("./usr/bin/perl", b"ELF", mode=0o4755),
        build.hard_link("./usr/bin/perl5", "./usr/bin/perl"),
        build.member("bare/file", b"x", format=tarfile.GNU_FORMAT),
        build.member(long, b"x", format=tarfile.GNU_FORMAT),
        build.member("pax/" + long, b"x"),
        build.member(b"latin-\xe9", b"x", format=tarfile.GNU_FORMAT),
        build.member("ping", b"x", records={"SCHILY.xattr.security.capability": "\x01"}),
        build.member("late", b"x", mtime=1e9 + 0.5, uid=3_000_000),
    )
    upper = build.pack(
        build.member("usr/bin/.wh.perl5"),
        build.directory("bare/"),
        build.member("bare/.wh..wh..opq"),
        build.directory("lib/"),
        build.member("lib/file", b"was a link below"),
        build.member(".wh.bin"),
    )
    image, _ = written(build.docker_archive((lower, upper, build.pack(build.member("bin/new")))))
    assert image.members == 13 + 6 + 1


def test_compressed_source_is_never_read_into_memory_at_once() -> None:
    class Watched(io.BytesIO):
        """Remembers the largest piece that was read."""

        largest = 0

        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None and size >= 0
            self.largest = max(self.largest, size)
            return super().read(size)

    source = Watched(gzip.compress(build.docker_archive(LAYERS)))
    rewrite(source, BytesIO())
    assert 0 < source.largest <= 1024 * 1024

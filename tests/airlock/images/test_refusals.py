"""Every hostile archive is refused for the right reason, in words that help."""

from __future__ import annotations

import gzip
import re
from io import BytesIO
from pathlib import Path

import pytest

import airlock.images
from airlock.images import ImageLimits, ImageRefused, rewrite
from tests.airlock.images import archive_refusals, build, layer_refusals

REFUSALS = archive_refusals.REFUSALS | layer_refusals.REFUSALS


def refusal(archive: bytes, limits: ImageLimits | None = None) -> ImageRefused:
    with pytest.raises(ImageRefused) as caught:
        rewrite(BytesIO(archive), BytesIO(), limits=limits)
    return caught.value


@pytest.mark.parametrize("case", REFUSALS)
def test_archive_is_refused(case: str) -> None:
    build_archive, words = REFUSALS[case]
    refused = refusal(build_archive())
    assert refused.id == case.partition(":")[0]
    assert words in refused.message
    assert refused.message.endswith(".") and "\n" not in str(refused) and len(str(refused)) < 500
    assert str(refused) == f"{refused.message} {refused.hint}".strip()


LIMITS = {
    "too-large": ImageLimits(archive_bytes=1000),
    "too-large-unpacked": ImageLimits(uncompressed_bytes=1000),
    "too-many-members": ImageLimits(members=1),
}


@pytest.mark.parametrize("id", LIMITS)
def test_limit_is_enforced(id: str) -> None:
    assert refusal(build.docker_archive(), LIMITS[id]).id == id


def test_names_are_limited_in_bytes() -> None:
    archive = build.docker_archive((build.pack(*(build.member(f"{n}/{'x' * 90}") for n in range(9))),))
    assert refusal(archive, ImageLimits(name_bytes=800)).id == "too-many-members"


def test_compressed_archive_is_limited_in_unpacked_bytes() -> None:
    refused = refusal(gzip.compress(build.docker_archive()), ImageLimits(uncompressed_bytes=1000))
    assert (refused.id, "the archive" in refused.message) == ("too-large-unpacked", True)


def test_streams_are_limited_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airlock.images.compression.MAX_STREAMS", 10)
    assert refusal(gzip.compress(b"") * 11).id == "compression-streams"


def test_wrong_platform_says_how_to_save_the_right_one() -> None:
    refused = refusal(build.docker_archive(), ImageLimits(architecture="arm64"))
    assert "docker build --platform linux/arm64" in refused.hint
    assert "docker save --platform linux/arm64 -o image.tar" in refused.hint


def test_control_characters_of_a_name_are_not_printed() -> None:
    refused = refusal(build.docker_archive((build.pack(build.member("/\x1b[31m\u202e")),)))
    assert "“/\\u001b[31m\\u202e”" in refused.message


def test_every_id_has_an_archive() -> None:
    folder = Path(airlock.images.__file__).parent
    code = "".join(path.read_text() for path in sorted(folder.glob("*.py")))
    ids = set(re.findall(r'ImageRefused\(\s*"([a-z-]+)"', code))
    assert ids == {case.partition(":")[0] for case in REFUSALS} | set(LIMITS) | {"compression-streams"}

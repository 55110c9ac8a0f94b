"""Software of teams in tests: versions with a stored image, and executions by a scripted engine."""

from __future__ import annotations

from collections.abc import Mapping
from unittest import mock

from django.test import override_settings

from sharedtask.core import storage
from sharedtask.software import execute, watch
from sharedtask.software.kinds import RunSoftware
from sharedtask.software.models import Execution, StoredImage, SystemVersion
from sharedtask.software.versions import create_version
from sharedtask.teams.models import Team
from sharedtask.work.perform import perform
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine
from tests.sharedtask.support.worlds import tree

IMAGE_ID = "sha256:" + "1" * 64


def version_of(team: Team) -> SystemVersion:
    """As if an image had been submitted and checked."""
    stored = f"images/{team.public_id}.tar"
    sha256 = storage.store(stored, [b"an image"])
    image = StoredImage.objects.create(
        team=team,
        filename="system.tar",
        state=StoredImage.State.READY,
        stored=stored,
        sha256=sha256,
        image_id=IMAGE_ID,
        size_bytes=8,
    )
    return create_version(team.primary_system, image, by=None)


def run_in_airlock(execution: Execution, script: Script) -> None:
    """As a worker of the airlock does it, without the key to gold."""
    engine = ScriptedEngine(script=script)
    with (
        override_settings(GOLD_PRIVATE_KEY_FILE=""),
        mock.patch.object(execute, "connect", lambda url, ulimit_shim: engine),
        mock.patch.object(watch, "FIRST_PAUSE_SECONDS", 0.0),
    ):
        perform(RunSoftware(), [execution.public_id])


def copy_secrets(inputs: Mapping[str, bytes]) -> dict[str, bytes]:
    """In the miniature of `worlds.py`: each output quotes the input that nobody may see yet.

    One output is valid, one has an invalid line, one file should not be there at all.
    """
    secret = inputs["fi_late.txt"].decode().split()[0]
    return {
        "de_one.conllu": tree("Birken wachsen langsam", lemma=secret).encode(),
        "en_two.conllu": tree("Birds sing loudly").replace("\t2\tadvmod", f"\t{secret}\tadvmod").encode(),
        "fi_late.conllu": tree(inputs["fi_late.txt"].decode().strip()).encode(),
        f"{secret}.txt": secret.encode(),
    }

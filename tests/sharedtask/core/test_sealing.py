"""Gold is sealed: the web process can close a file and cannot open it; only a worker can."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sharedtask.core import keys, seal_stream, sealing
from tests.machinery.site import ROOT, clean_environment, make_keys

GOLD = b"1\tgold\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
SEAL = "import django, sys; django.setup(); from sharedtask.core import sealing; "
SEAL += "sys.stdout.buffer.write(sealing.seal(sys.stdin.buffer.read()))"
OPEN = SEAL.replace("sealing.seal(", "sealing.unseal(")


def run(script: str, environment: Mapping[str, str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=dict(environment),
        input=data,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("profile", ["embedded", "production"])
def test_the_settings_of_the_web_process_cannot_open_a_sealed_gold_file(profile: str, tmp_path: Path) -> None:
    """Each step is a process of its own: what a setting does not say, no variable of this process can."""
    web = clean_environment(f"sharedtask.settings.{profile}", {"DATA_DIR": str(tmp_path)})
    make_keys(web)
    if profile == "production":
        web |= {
            "GOLD_PUBLIC_KEY": (tmp_path / "keys" / "gold.public").read_text().strip(),
            "SECRET_KEY": "only-for-this-test",
            "ALLOWED_HOSTS": "tasks.example.org",
            "DATABASE_URL": "postgresql://nobody@nowhere.example.org/nothing",
            "REDIS_URL": "redis://nowhere.example.org",
            "STORAGE": "disk",
        }
    sealed = run(SEAL, web, GOLD)
    assert sealed.returncode == 0, sealed.stderr
    assert b"gold" not in sealed.stdout

    refused = run(OPEN, web, sealed.stdout)
    assert refused.returncode != 0
    assert refused.stdout == b""
    assert b"sharedtask.core.sealing.NoPrivateKey: GOLD_PRIVATE_KEY_FILE is unset" in refused.stderr

    worker = web | {"GOLD_PRIVATE_KEY_FILE": str(tmp_path / "keys" / "gold.private")}
    opened = run(OPEN, worker, sealed.stdout)
    assert (opened.returncode, opened.stdout) == (0, GOLD), opened.stderr


def test_sealing_is_randomised_and_unsealing_restores_the_content(as_worker: None) -> None:
    first, second = sealing.seal(GOLD), sealing.seal(GOLD)
    assert first != second
    assert sealing.unseal(first) == sealing.unseal(second) == GOLD


@pytest.mark.parametrize("damage", ["changed", "cut off", "empty", "of another key"])
def test_a_damaged_seal_is_refused(damage: str, as_worker: None, settings: Any, tmp_path: Path) -> None:
    sealed = sealing.seal(GOLD)
    other = keys.make(tmp_path / "others")
    if damage == "of another key":
        settings.GOLD_PRIVATE_KEY_FILE = str(other.private)
    damaged = {"changed": sealed[:-1] + bytes([sealed[-1] ^ 1]), "cut off": sealed[:20], "empty": b""}
    with pytest.raises(sealing.DamagedSeal):
        sealing.unseal(damaged.get(damage, sealed))


def sealed_in_pieces() -> list[bytes]:
    sealer = seal_stream.Sealer()
    return [sealer.begin(), sealer.piece(GOLD[:9]), sealer.piece(GOLD[9:]), sealer.end()]


def opened(content: bytes) -> bytes:
    return b"".join(seal_stream.unseal_stream(io.BytesIO(content)))


def test_a_sealed_stream_is_unsealed_unchanged(as_worker: None) -> None:
    pieces = sealed_in_pieces()
    assert opened(b"".join(pieces)) == GOLD
    assert GOLD[:9] not in b"".join(pieces)
    assert sealed_in_pieces() != pieces


@pytest.mark.parametrize("damage", ["changed", "in another order", "no end", "cut off", "empty", "too long"])
def test_a_truncated_or_changed_stream_is_refused(damage: str, as_worker: None) -> None:
    begin, result, two, end = sealed_in_pieces()
    damaged = {
        "changed": begin + result + two[:-1] + bytes([two[-1] ^ 1]) + end,
        "in another order": begin + two + result + end,
        "no end": begin + result + two,
        "cut off": begin[:30],
        "empty": b"",
        "too long": begin + b"\xff" * 20,
    }
    with pytest.raises(sealing.DamagedSeal):
        opened(damaged[damage])


def test_the_web_process_cannot_unseal_its_own_stream() -> None:
    with pytest.raises(sealing.NoPrivateKey):
        opened(b"".join(sealed_in_pieces()))


@pytest.mark.parametrize("key", ["", "build", "ab", "zz" * 32])
def test_an_unusable_public_key_is_reported(key: str, settings: Any) -> None:
    settings.GOLD_PUBLIC_KEY = key
    with pytest.raises(sealing.NoPublicKey):
        sealing.seal(GOLD)


def test_an_unreadable_key_file_is_reported(settings: Any, tmp_path: Path) -> None:
    settings.GOLD_PRIVATE_KEY_FILE = str(tmp_path / "nowhere")
    with pytest.raises(sealing.NoPrivateKey, match="cannot be used"):
        sealing.unseal(sealing.seal(GOLD))


def test_keys_are_made_once_and_only_the_owner_can_read_the_private_one(
    tmp_path: Path, settings: Any, gold_keys: keys.KeyFiles
) -> None:
    result = keys.make(tmp_path / "new" / "keys")
    before = result.private.read_bytes(), result.public.read_bytes()
    assert result.private.stat().st_mode & 0o777 == 0o600
    assert result.private.parent.stat().st_mode & 0o777 == 0o700
    assert keys.make(tmp_path / "new" / "keys") == result
    result.public.unlink()
    keys.make(tmp_path / "new" / "keys")
    assert (result.private.read_bytes(), result.public.read_bytes()) == before
    assert sorted(path.name for path in result.private.parent.iterdir()) == ["gold.private", "gold.public"]
    settings.GOLD_PUBLIC_KEY = result.public.read_text().strip()
    settings.GOLD_PRIVATE_KEY_FILE = str(result.private)
    sealing.check_pair()
    settings.GOLD_PRIVATE_KEY_FILE = str(gold_keys.private)
    with pytest.raises(sealing.NoPrivateKey, match="does not belong"):
        sealing.check_pair()


@pytest.mark.parametrize("given", ["", "nowhere"])
def test_a_worker_without_its_key_refuses_to_start(embedded: dict[str, str], given: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "workers.app", "worker", "--pool=solo"],
        cwd=ROOT,
        env=embedded | {"GOLD_PRIVATE_KEY_FILE": given},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    assert "GOLD_PRIVATE_KEY_FILE" in done.stderr

"""Make the pair of keys for gold files: `python -m sharedtask.core.keys FOLDER`.

In: a folder. Out: `gold.private`, for the workers only, and `gold.public`, which is not secret. An existing
pair is not changed. No Django settings are needed, because production does not start without a key.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from nacl.encoding import HexEncoder
from nacl.public import PrivateKey


@dataclass(frozen=True, kw_only=True)
class KeyFiles:
    private: Path
    public: Path


def make(folder: Path) -> KeyFiles:
    """Several processes may try at once; the first that links its private key into place wins."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = KeyFiles(private=folder / "gold.private", public=folder / "gold.public")
    if not files.private.exists():
        put(files.private, PrivateKey.generate().encode(HexEncoder), replace=False)
    if not files.public.exists():
        private = PrivateKey(files.private.read_bytes().strip(), HexEncoder)
        put(files.public, private.public_key.encode(HexEncoder), replace=True)
    return files


def put(file: Path, content: bytes, *, replace: bool) -> None:
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(content + b"\n")
        stream.flush()
        # Without the key, gold files cannot be read any more, so it must survive a power failure.
        os.fsync(stream.fileno())
    try:
        if replace:
            os.replace(draft, file)
        else:
            os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink(missing_ok=True)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m sharedtask.core.keys FOLDER", file=sys.stderr)
        return 2
    files = make(Path(arguments[0]))
    print(f"GOLD_PUBLIC_KEY={files.public.read_text(encoding='ascii').strip()}")
    print(f"GOLD_PRIVATE_KEY_FILE={files.private}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

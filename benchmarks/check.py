"""Speed of `arboretum check` on the 16 test sets of CoNLL 2017, compared with the bare library call.

Run with `make bench`. Both check the same 16 files of one team against their raw texts, in turns; the ratios
are of processor time. First the check itself, in one process. Then two processes from start to end: the
command asks a small server for rules and raw texts, as it would ask a site; after the first time the texts
come from its cache. Most of its surplus is the import of the network modules. The aim is 1.3.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

from benchmarks._real_site import DATA
from evaluation import raw_text, read, validate
from evaluation.archives.limits import ArchiveLimits
from evaluation.client.verdict import Rules, check

TEAM = "Stanford"
ROUNDS = 15
LIMITS = {
    "archive_bytes": 100 << 20,
    "members": 500,
    "member_bytes": 64 << 20,
    "total_bytes": 1 << 30,
    "ratio": 100,
}
LIBRARY = """
import sys
from pathlib import Path
import evaluation
outputs, texts = map(Path, sys.argv[1:])
for file in sorted(outputs.iterdir()):
    evaluation.validate(file, text=texts / f"{file.stem}.txt", profile="conll17")
"""


def main() -> None:
    if not DATA.is_dir():
        print("NOT MEASURED: ../shared/data is not next to this checkout.")
        return
    with tempfile.TemporaryDirectory(prefix="arboretum-") as name:
        outputs, texts = unpack(Path(name))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(texts))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            measure_alone(outputs, texts)
            measure(Path(name), outputs, texts, f"http://127.0.0.1:{server.server_address[1]}")
        finally:
            server.shutdown()
            server.server_close()


def unpack(folder: Path) -> tuple[Path, Path]:
    outputs, texts = folder / "outputs", folder / "texts"
    outputs.mkdir()
    texts.mkdir()
    for archive in sorted(DATA.glob("*.tar.xz")):
        code = archive.name.removesuffix(".tar.xz")
        with tarfile.open(archive) as packed:
            gold = packed.extractfile(f"{code}/gold.conllu")
            system = packed.extractfile(f"{code}/system/{TEAM}.conllu")
            assert gold is not None and system is not None
            (texts / f"{code}.txt").write_text(raw_text(read(gold.read())), encoding="utf-8")
            (outputs / f"{code}.conllu").write_bytes(system.read())
    return outputs, texts


def handler_for(texts: Path) -> type[BaseHTTPRequestHandler]:
    files = [
        {
            "test_set": text.stem,
            "name": f"{text.stem}.conllu",
            "raw_text": text.name,
            "raw_text_sha256": hashlib.sha256(text.read_bytes()).hexdigest(),
        }
        for text in sorted(texts.iterdir())
    ]
    phase = {"phase": "test", "title": "Test", "files": files}
    rules = json.dumps({"profile": "conll17", "limits": LIMITS, "phases": [phase]}).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            name = self.path.rsplit("/", 1)[-1]
            content = rules if name == "check-rules" else (texts / name).read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def measure_alone(outputs: Path, texts: Path) -> None:
    raw_texts = {text.stem: text for text in sorted(texts.iterdir())}
    rules = Rules(
        profile="conll17", limits=ArchiveLimits(**LIMITS), codes=list(raw_texts), raw_texts=raw_texts
    )

    def library() -> None:
        for code, text in raw_texts.items():
            assert validate(outputs / f"{code}.conllu", text=text, profile="conll17").valid

    def checked() -> None:
        assert check(outputs, rules).is_valid

    library()
    ratios = [own_seconds(checked) / own_seconds(library) for _ in range(ROUNDS)]
    print(f"The check itself: {median(ratios):.2f} times the library call (aim 1.3)")


def own_seconds(act: Callable[[], None]) -> float:
    before = time.process_time()
    act()
    return time.process_time() - before


def measure(folder: Path, outputs: Path, texts: Path, site: str) -> None:
    environment = {
        **os.environ,
        "ARBORETUM_CONFIG": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder),
        # Installed packages are compiled; a check that compiles them each time measures something else.
        "PYTHONDONTWRITEBYTECODE": "",
    }
    library = [sys.executable, "-c", LIBRARY, str(outputs), str(texts)]
    command = [sys.executable, "-m", "evaluation", "check", str(outputs), "--task", "conll17", "--site", site]
    seconds(library, environment)
    first = seconds(command, environment)
    pairs = [(seconds(command, environment), seconds(library, environment)) for _ in range(ROUNDS)]
    ratio = median(checked / bare for checked, bare in pairs)
    sets = len(list(outputs.iterdir()))
    print(f"{sets} test sets: library {median(bare for _, bare in pairs):.2f} s of processor time")
    print(
        f"arboretum check, from start to end: {ratio:.2f} times that (aim 1.3); "
        f"the first time, with downloads, {first:.2f} s"
    )


def seconds(command: list[str], environment: dict[str, str]) -> float:
    before = children_seconds()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return children_seconds() - before


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()

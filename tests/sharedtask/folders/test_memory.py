"""What an organiser sends costs a bounded amount of memory, however it is written or packed."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sharedtask.folders import jobs
from sharedtask.folders.files import MAX_FILES, from_zip
from sharedtask.folders.parse import parse
from sharedtask.folders.problems import BadTaskFolder
from sharedtask.work.perform import perform
from tests.machinery.site import ROOT
from tests.sharedtask.support.large_yaml import KINDS, LARGEST

MEGABYTE = 1_000_000

# The limit is the kernel's, above what the interpreter and its imports have taken.
PARSE = """
import resource, sys
import django; django.setup()
from sharedtask.folders.parse import parse

content = open(sys.argv[1], "rb").read()
status = open("/proc/self/status").read()
taken = 1024 * int(status.partition("VmData:")[2].split()[0])
resource.setrlimit(resource.RLIMIT_DATA, (taken + int(sys.argv[2]), resource.RLIM_INFINITY))
entry, problems = parse(content)
print(len(problems))
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_file_is_read_in_forty_megabytes(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "task.yaml"
    file.write_text(KINDS[kind])
    assert file.stat().st_size <= LARGEST
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "sharedtask.settings.test"}
    command = [sys.executable, "-c", PARSE, str(file), str(40 * MEGABYTE)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    # None of them is a task, and nobody reads more than a hundred problems.
    assert 1 <= int(done.stdout) <= 101


def test_a_file_with_too_many_values_says_so() -> None:
    _, problems = parse(KINDS["aliases"].encode())
    assert "values" in problems[-1].message
    _, problems = parse(KINDS["a list"].encode())
    assert "more than 50,000 values" in problems[-1].message


def test_aliases_may_be_used_as_long_as_the_file_written_out_is_no_larger_than_one_may_be() -> None:
    few = "groups: &g [big, small]\ntest_sets:\n  - {code: a, language: b, tag: c, groups: *g}\n"
    entry, _ = parse(few.encode())
    assert entry is not None
    assert entry["test_sets"][0]["groups"] == entry["groups"] == ["big", "small"]
    _, problems = parse(KINDS["aliases of a long text"].encode())
    assert "with its aliases expanded" in problems[-1].message


def test_many_problems_are_told_up_to_a_hundred() -> None:
    _, problems = parse(b"".join(b"a%d: b\n" % number for number in range(1000)))
    assert len(problems) == 101
    assert problems[99].line == 100
    assert problems[100].message == "more problems follow; please fix these first"


def bomb(name: str = "zeros", size: int = 30 * MEGABYTE) -> bytes:
    return packed({"task.yaml": b"slug: a", name: bytes(size)})


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def lying(content: bytes, size: int) -> bytes:
    """The zip with another size declared for its last file, in the file and in the directory."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        last = archive.infolist()[-1]
        begin = archive.start_dir
    changed = bytearray(content)
    struct.pack_into("<L", changed, last.header_offset + 22, size)
    at = content.rfind(b"PK\x01\x02", begin)
    struct.pack_into("<L", changed, at + 24, size)
    return bytes(changed)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (lambda: bomb(), "times its size"),
        (lambda: lying(bomb(), 100), "cannot be read|times its size"),
        (
            lambda: packed({"task.yaml": b"a", "big": os.urandom(2000)}),
            "larger than 1000 bytes when unpacked",
        ),
        (
            lambda: packed({"task.yaml": b"a", **{str(n): os.urandom(900) for n in range(4)}}),
            "unpacks to more than 2.9 KiB",
        ),
        (lambda: packed({"task.yaml": b"a"} | {str(n): b"" for n in range(MAX_FILES)}), "5,?000"),
        (lambda: packed({"task.yaml": b"a" * 100}, zipfile.ZIP_BZIP2), "unsupported compression method"),
    ],
    ids=["ratio", "lying", "member", "total", "members", "method"],
)
def test_a_zip_that_would_take_much_is_refused(content: Any, words: str, settings: Any) -> None:
    if "1000 bytes" in words or "KiB" in words:
        settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"member_bytes": 1000, "total_bytes": 3000}
    with pytest.raises(BadTaskFolder, match=words):
        from_zip(content())


@pytest.mark.django_db
def test_a_folder_that_needs_too_much_memory_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    from sharedtask.folders.models import FolderJob

    def out_of_memory(job: FolderJob) -> None:
        raise MemoryError

    monkeypatch.setattr(jobs, "plan_import", out_of_memory)
    job = FolderJob.objects.create(kind=FolderJob.Kind.IMPORT, stored="folders/x", reason="A reason.")
    perform(jobs.FolderWork(), [job.public_id])
    job.refresh_from_db()
    assert job.state == FolderJob.State.REFUSED
    assert "more memory than" in job.problems[0]["message"]

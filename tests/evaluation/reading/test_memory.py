"""Checking a file takes at most twenty times its size in memory, for any kind of lines."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluation.large_files import KINDS

ROOT = Path(__file__).resolve().parents[3]
SIZE = 16_000_000
MOST_TIMES = 20

# The peak belongs to a process, so each file has one of its own. It is counted above what the interpreter and
# its imports have taken before. (`ru_maxrss` would begin with the peak of the process that starts this one.)
CHECK = """
import sys, evaluation

def peak():
    status = open("/proc/self/status").read()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])

before = peak()
report = evaluation.validate(sys.argv[1], text="b" * 1_000_000, profile=sys.argv[2])
print(peak() - before, sum(report.counts.values()))
"""


@pytest.mark.parametrize("kind", KINDS)
def test_checking_takes_at_most_twenty_times_the_size_of_the_file(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "system.conllu"
    file.write_bytes(KINDS[kind](SIZE))
    # Under the older profile a token keeps more of its white space, and there is more to report.
    command = [sys.executable, "-c", CHECK, str(file), "conll17"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    taken, incidents = map(int, done.stdout.split())
    # Every one of these files differs at least from the text: none of them was passed over.
    assert incidents > 0
    assert taken <= MOST_TIMES * file.stat().st_size


# A limit that the kernel keeps, above what has been taken already.
UNDER_A_LIMIT = """
import json, resource, sys, evaluation
from evaluation.cli.incidents import as_text

def taken():
    status = open("/proc/self/status").read()
    return 1024 * int(status.partition("VmData:")[2].split()[0])

resource.setrlimit(resource.RLIMIT_DATA, (taken() + int(sys.argv[2]), resource.RLIM_INFINITY))
reports = [evaluation.validate(file) for file in (sys.argv[1], sys.argv[3])]
print(json.dumps([as_text(report) for report in reports]))
"""


def test_a_file_beyond_the_memory_limit_is_reported_and_the_next_is_checked(tmp_path: Path) -> None:
    large, small = tmp_path / "large.conllu", tmp_path / "small.conllu"
    large.write_bytes(KINDS["x"](SIZE))
    small.write_bytes(KINDS["words"](1000))
    command = [sys.executable, "-c", UNDER_A_LIMIT, str(large), "60000000", str(small)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    message, said_next = json.loads(done.stdout)
    assert "Checking the file needs more memory than allowed" in message
    assert said_next == ""


def test_the_limit_in_the_test_is_not_what_fails(tmp_path: Path) -> None:
    large = tmp_path / "large.conllu"
    large.write_bytes(KINDS["x"](SIZE))
    command = [sys.executable, "-c", UNDER_A_LIMIT, str(large), str(MOST_TIMES * SIZE), str(large)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for load in json.loads(done.stdout):
        assert "wrong-columns" in load or "ten columns" in load

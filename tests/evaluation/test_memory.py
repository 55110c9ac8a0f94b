"""Checking a file takes at most twenty times its size in memory, whatever its lines are."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluation.large_files import KINDS

ROOT = Path(__file__).resolve().parents[2]
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

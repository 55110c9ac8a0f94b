"""A small part of what `make fuzz` does with task.yaml for longer."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.machinery.site import ROOT


def test_corrupted_task_files_are_accepted_or_refused_in_bounded_memory() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--part", "task-files", "--cases", "150", "--jobs", "1"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    outcomes = {
        name: int(count.replace(",", ""))
        for count, name in re.findall(r"^ +([0-9,]+) ([a-z-]+)$", ended.stdout, re.M)
    }
    # Each kind of outcome must occur, or the cases would not test much.
    assert sum(outcomes.values()) == 150
    assert {"accepted", "refused-field", "refused-yaml"} <= outcomes.keys()

"""A small part of what `make fuzz` does with archives for longer."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.machinery.site import ROOT


def test_spoiled_archives_are_accepted_or_refused_in_bounded_memory() -> None:
    command = [
        sys.executable,
        "-m",
        "tests.fuzz",
        "--part",
        "archives",
        "--cases",
        "1500",
        "--jobs",
        "1",
    ]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    outcomes = {
        id: int(count.replace(",", ""))
        for count, id in re.findall(r"^ +([0-9,]+) ([a-z-]+)$", ended.stdout, re.M)
    }
    # Many kinds of outcomes must occur, or the cases would not test much.
    assert sum(outcomes.values()) == 1500
    assert outcomes["accepted"] > 100
    assert len(outcomes) > 9

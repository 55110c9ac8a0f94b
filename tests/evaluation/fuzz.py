"""Hostile input for longer than the tests have time: `make fuzz`, or `python -m tests.evaluation.fuzz`.

Each case is a number that seeds a drawn pair of files and what is done to one of them; a case that fails is
printed with its number, to be run again with `--first NUMBER --cases 1`. Where `atheris` is installed, and
unless `--atheris 0` says otherwise, a fuzzer guided by coverage then goes on for a while.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import subprocess
import sys
import time
import traceback
from pathlib import Path

from tests.evaluation.hostile import check_case

ROOT = Path(__file__).resolve().parents[2]
BATCH = 500


def run_batch(first: int) -> tuple[int, list[str]]:
    """How many of a batch of cases were valid files, and what went wrong with the others."""
    valid, faults = 0, []
    for number in range(first, first + BATCH):
        try:
            valid += check_case(number)
        except Exception:
            faults.append(f"case {number}\n{traceback.format_exc()}")
    return valid, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--atheris", type=int, default=600, metavar="SECONDS")
    arguments = parser.parse_args()
    if arguments.cases == 1:
        check_case(arguments.first)
        return 0

    began, done, valid, failed = time.monotonic(), 0, 0, 0
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        batches = range(arguments.first, arguments.first + arguments.cases, BATCH)
        for of_batch, faults in pool.imap_unordered(run_batch, batches):
            done, valid, failed = done + BATCH, valid + of_batch, failed + len(faults)
            for fault in faults:
                print(fault, file=sys.stderr)
            if done % (40 * BATCH) == 0:
                speed = done / (time.monotonic() - began)
                print(f"{done:,} cases, {valid:,} valid, {failed} failed, {speed:.0f} a second", flush=True)
    print(f"{done:,} cases, {valid:,} of them valid files, {failed} failed.")
    if failed == 0 and arguments.atheris and importlib.util.find_spec("atheris"):
        command = [sys.executable, "-m", "tests.evaluation.guided", f"-max_total_time={arguments.atheris}"]
        return subprocess.run([*command, "-max_len=2000"], cwd=ROOT, check=False).returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

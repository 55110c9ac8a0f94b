"""`make fuzz`: hostile input for longer than the tests have time, in processes with a memory limit.

A million cases in four parts: CoNLL-U files, archives, images of containers and task.yaml. Each case is a
number that seeds an input; one that fails is printed with its part and number, to be repeated with
`python -m tests.fuzz --part PART --first NUMBER --cases 1`. Where `atheris` is installed, a fuzzer guided by
coverage then tries CoNLL-U for a while, unless `--atheris 0` is given.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import subprocess
import sys

from tests.machinery.fuzzing import Part, run_case, run_part
from tests.machinery.site import ROOT

MODULES = {
    "conllu": "tests.evaluation.fuzz_conllu",
    "archives": "tests.sharedtask.support.fuzz_archives",
    "images": "tests.airlock.images.fuzz_images",
    "task-files": "tests.sharedtask.support.fuzz_task_files",
}
SHARES = {"conllu": 0.5, "archives": 0.25, "images": 0.15, "task-files": 0.1}
CASES = 1_000_000


def load_part(name: str) -> Part:
    """Imported when needed: child processes import this module too, and only one part needs Django."""
    part: Part = importlib.import_module(MODULES[name]).PART
    return part


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=MODULES, help="run this part only (default: all)")
    parser.add_argument(
        "--cases", type=int, default=CASES, help="number of cases altogether (default: %(default)s)"
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each part")
    parser.add_argument("--jobs", type=int, help="number of processes (default: one per processor)")
    parser.add_argument("--atheris", type=int, default=600, metavar="SECONDS", help="0 leaves it out")
    arguments = parser.parse_args()

    if arguments.part and arguments.cases == 1:
        print(run_case(load_part(arguments.part), arguments.first))
        return 0
    failed = 0
    for name in MODULES:
        if arguments.part in (None, name):
            cases = arguments.cases if arguments.part else round(arguments.cases * SHARES[name])
            failed += run_part(load_part(name), cases=cases, first=arguments.first, jobs=arguments.jobs)
    if failed:
        return 1
    if arguments.part in (None, "conllu") and arguments.atheris and importlib.util.find_spec("atheris"):
        command = [sys.executable, "-m", "tests.evaluation.guided", f"-max_total_time={arguments.atheris}"]
        return subprocess.run([*command, "-max_len=2000"], cwd=ROOT, check=False).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())

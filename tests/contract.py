"""`make contract`: schemathesis over the whole API, once per role, with many more cases than in the suite.

CONTRACT="--examples N" changes their number, CONTRACT="--role organiser" names one role. Prints the summary
of each role; fails if an answer does not conform to the OpenAPI document or is a server error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.machinery.site import clean_environment, make_keys, manage, start_server
from tests.sharedtask.support import contract

ROLES = ("visitor", "participant", "organiser")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--role", choices=ROLES, action="append", help="may be repeated (default: all)")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="arboretum-", dir="/tmp") as name:
        folder = Path(name)
        limits = {"API_READS_PER_MINUTE": "1000000", "API_WRITES_PER_MINUTE": "1000000"}
        values = {"DATA_DIR": str(folder / "data"), **limits}
        environment = clean_environment("sharedtask.settings.embedded", values)
        make_keys(environment)
        manage("migrate", "--verbosity=0", environment=environment)
        prepared = contract.prepare(environment, folder / "data" / "keys" / "gold.private")
        web = start_server(environment, folder / "web.log")
        try:
            for role in arguments.role or ROLES:
                done = contract.check(
                    web.url,
                    prepared,
                    role,
                    examples=arguments.examples,
                    phases="examples,coverage,fuzzing",
                    folder=folder,
                )
                failed += done.returncode != 0
                print(f"== {role}\n{done.stdout}{done.stderr}", flush=True)
        finally:
            web.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

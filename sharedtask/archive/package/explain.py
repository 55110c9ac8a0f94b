"""The README of the package, with the commands that reproduce its figures.

In: `Contents`. Out: Markdown. A command is built from the signature of the standing, which contains all that
the figures depend on.
"""

from __future__ import annotations

from collections.abc import Mapping

import evaluation
from sharedtask.archive.package.contents import Contents
from sharedtask.competition.coverage import coverage
from sharedtask.core.evaluator_wheel import install_command
from sharedtask.leaderboard.board.reproduce import command, fields_of, place_of
from sharedtask.standings.models import Standing

INTRODUCTION = """\
# {title}: results

Published {published:%Y-%m-%d %H:%M} UTC. All contents were public when the package was written.{coverage}

| file | contents |
|---|---|
| `task.yaml` | the task: scoring rules, test sets, phases |
| `gold.csv` | the version of gold in force for each test set, with its SHA-256 once it is public |
| `systems.csv` | the run, team and system of each id |
| `scores.csv` | each file of each run: its state, F1 for every metric, and the integer counts |
| `<phase>/<ranking>.json` | a standing with all figures: averages, intervals, rank ranges, p-values |
| `<phase>/<ranking>.csv` | the same averages as a table by system, scope and metric |
| `<phase>/<ranking>.txt` | its systems |
| `<phase>/sets.tsv` | its test sets, with group and language |
"""
WITH_GOLD = """\
| `gold/<test set>.conllu` | gold |
| `systems/<run>/<test set>.conllu` | the outputs of the systems, as submitted |

Systems are identified by the public id of their run, which never changes. F1 is a fraction. The counts are
the numbers of items in gold, items in the system's output, correct items, and aligned words.
"""
REFERENCES = """
Some test sets have several references, annotations of the same tokens: `gold/<test set>.conllu` and
`gold/<test set>/<reference>.conllu`. A file is scored against the one that is best for it as a whole, by the
first main metric. `scores.csv` names it; `gold` is the first.
"""
EXPERIMENTS = """
Published experiments with constraints are in `cascades/<experiment>/`: `effects.csv`, `repaired.csv` and
`destroyed.csv` over all their test sets, and all counts in `all.json` and `sets/<test set>.json`.
"""
TRACKS = """
Standings of a track are in `<phase>/<track>/`; the tracks are listed in `task.yaml`.
"""
REPRODUCE = """
## Reproducing these results

Run in this folder, with version {version} of the evaluator{package}:{install}
"""
NOT_YET = """
## Reproducing these results

Not possible yet: gold of {codes} has not been released. When it is, the package will be rewritten with gold,
counts and outputs. Until then F1 has four decimals, as on the pages: more would reveal the counts.
"""
FORMER = """
Before gold was released, the signature of this standing was
`{signature}`
In it, an HMAC under a key of the server stands for the hash of gold; everything else is the same. {check}
"""
VERIFIED = "The server has verified the HMAC with the gold in this package."
UNVERIFIED = "It was made with a former key of the server, so it can no longer be verified."
PARTLY = """
## Reproducing these results

Only partly possible: some outputs are no longer public. Their figures are in
the tables above.
"""


def readme(contents: Contents) -> str:
    parts = [
        INTRODUCTION.format(
            title=contents.task.title, published=contents.publication.at, coverage=coverage_sentence(contents)
        ),
        WITH_GOLD,
        *([REFERENCES] if any(item.shows_references for item in contents.sets.values()) else []),
        *([TRACKS] if contents.task.tracks else []),
        *([EXPERIMENTS] if contents.experiments else []),
    ]
    sealed = [code for code, item in contents.sets.items() if not item.gold_is_public]
    if sealed:
        parts.append(NOT_YET.format(codes=", ".join(sealed)))
    elif not contents.is_reproducible:
        parts.append(PARTLY)
    else:
        fields = fields_of(contents.standings[0].signature)
        version = fields["version"]
        parts.append(
            REPRODUCE.format(version=version, package=package_sentence(fields), install=installation(version))
        )
        parts += [describe_standing(standing, contents) for standing in contents.standings]
    for title, text in (("Citation", contents.task.citation), ("Licence", contents.task.data_licence)):
        if text.strip():
            parts.append(f"\n## {title}\n\n{text.strip()}\n")
    return "".join(parts)


def package_sentence(fields: Mapping[str, str]) -> str:
    """Of a profile that comes with a package of its own."""
    version = fields.get("profile-version")
    return f" and version {version} of the profile {fields['profile']}" if version else ""


def installation(version: str) -> str:
    """How to install it from this site, if this site hands out that version."""
    command = install_command() if version == evaluation.VERSION else ""
    return f"\n\n```\n{command}\n```" if command else ""


def coverage_sentence(contents: Contents) -> str:
    part = coverage(len(contents.sets), contents.task.test_sets_total)
    return f" It contains {part} of the task; averages and ranks are over these." if part else ""


def describe_standing(standing: Standing, contents: Contents) -> str:
    signature, former = contents.signature(standing), contents.former_signature(standing)
    text = (
        f"\n{standing.title}:\n\n```\n{command(standing, standing.phase)}\n```\n\n"
        f"This gives the figures of `{place_of(standing, standing.phase)}.json` and the signature\n"
        f"`{signature}`\n"
    )
    if former is None:
        return text
    return text + FORMER.format(signature=former.text, check=VERIFIED if former.is_verified else UNVERIFIED)

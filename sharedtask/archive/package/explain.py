"""The package's README, and the commands by which its figures are computed again.

In: `Contents`. Out: Markdown. A command is written from the standing's own signature, which says everything
that the figures depend on.
"""

from __future__ import annotations

from sharedtask.archive.package.contents import Contents
from sharedtask.leaderboard.board.reproduce import command, fields_of, place_of
from sharedtask.standings.models import Standing

HEAD = """\
# {title}: results

Published {published:%Y-%m-%d %H:%M} UTC. All that is in here was public when the package was written.

| file | what |
|---|---|
| `task.yaml` | what the task is: rules of scoring, test sets, phases |
| `gold.csv` | which version of gold counts for each test set, with its SHA-256 once it is public |
| `systems.csv` | which run, team and system each id stands for |
| `scores.csv` | each file of each run: its state, F1 of every metric, and the integer counts behind it |
| `<phase>/<ranking>.json` | a standing, every figure of it: averages, intervals, ranges of ranks, p-values |
| `<phase>/<ranking>.csv` | the same averages as a table: every system, scope and metric |
| `<phase>/<ranking>.txt` | the systems that are ranked in it |
| `<phase>/sets.tsv` | its test sets, with group and language |
"""
WITH_GOLD = """\
| `gold/<test set>.conllu` | gold |
| `systems/<run>/<test set>.conllu` | what the systems wrote, as they delivered it |

Systems are called by the public id of their run, which never changes. F1 is a fraction. The counts say how
many the gold standard has, how many the system has, how many are right, and how many words could be aligned.
"""
AGAIN = """
## Computing it again

With the evaluator of this site (`python -m evaluation`, version {version}), in this folder:
"""
NOT_YET = """
## Computing it again

Not yet: gold of {codes} has not been released. When it is, the package is written anew, with gold, counts
and outputs. Until then F1 has the precision of print, which is four decimals of a fraction: more would tell
the counts.
"""
PARTLY = """
## Computing it again

Not all of it: outputs of some systems are not public any more. Their figures are in the tables above.
"""


def readme(contents: Contents) -> str:
    parts = [HEAD.format(title=contents.task.title, published=contents.publication.at), WITH_GOLD]
    hidden = [code for code, one in contents.sets.items() if not one.is_out]
    if hidden:
        parts.append(NOT_YET.format(codes=", ".join(hidden)))
    elif not contents.can_be_computed_again:
        parts.append(PARTLY)
    else:
        version = fields_of(contents.standings[0].signature)["version"]
        parts.append(AGAIN.format(version=version))
        parts += [one_standing(standing) for standing in contents.standings]
    for title, text in (("Citation", contents.task.citation), ("Licence", contents.task.data_licence)):
        if text.strip():
            parts.append(f"\n## {title}\n\n{text.strip()}\n")
    return "".join(parts)


def one_standing(standing: Standing) -> str:
    return (
        f"\n{standing.phase.title}, {standing.ranking}:\n\n```\n{command(standing)}\n```\n\n"
        f"It gives the figures of `{place_of(standing)}.json`, and the signature\n`{standing.signature}`\n"
    )

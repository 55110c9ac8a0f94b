"""A task folder with all there is: versions of gold, input variants, a sample, a surprise, three phases."""

from __future__ import annotations

import io
from pathlib import Path

from django.core.management import call_command

from tests.sharedtask.support.building import FIRST, SECOND

CORRECTED = SECOND.replace("advmod", "obl")
UNTREED = "\n".join(
    "\t".join([*line.split("\t")[:2], "_", "X", *["_"] * 6]) if "\t" in line else line
    for line in SECOND.split("\n")
)
"""As of a tagger that knows nothing."""

TASK = """\
# Everything a task folder can have.
slug: full
title: A full task
summary: "Two sentences: one of them a surprise."
description: |
  The first paragraph.

  The second, with *stress* and a trailing colon:
rules: |
  1. Be fair.
rules_version: 3
data_licence: CC BY 4.0
citation: "Alder (2026): trees"
contact: trees@example.org
profile: conll18
main_metrics: [LAS, MLAS]
missing: exclude
withdrawn: hidden
baselines_ranked: false
pseudonymous: true
reveals_above_zero: false
resampling_unit: document
replicates: 200
seed: 7
groups: [big, "yes", surprise]
test_sets:
  - code: de_one
    language: Norwegian
    tag: no
    groups: [big, "yes"]
    note: "'quoted' # no comment"
    licence: CC0
    gold:
      - {version: 1, file: gold/de_one.conllu, public: true}
    inputs:
      - {variant: raw, version: 1, file: texts/first.txt}
      - {variant: raw, version: 2, file: texts/second.txt}
  - code: en_two
    language: English
    tag: en
    groups: [surprise]
    revealed_at: 2026-05-01T00:00:00Z
    inputs_released_at: 2026-05-08T12:00:00+02:00
    gold:
      - {version: 1, file: gold/en_two.conllu}
      - {version: 2, file: gold/en_two.corrected.conllu, note: "Loudly is oblique.\\nSays who?"}
    gold_in_force: 1
    inputs:
      - {variant: udpipe, version: 1, file: inputs/en_two.conllu}
      - {variant: trial, version: 1, file: samples/en_two.conllu, sample: true}
phases:
  - {code: dev, kind: development, title: Development, feedback: scores, opens_at: 2026-01-01T00:00:00Z,
     closes_at: 2026-04-01T00:00:00Z, test_sets: [de_one]}
  - {code: test, kind: test, title: Test, feedback: validity, opens_at: 2026-05-08T12:00:00Z,
     closes_at: 2026-05-15T12:00:00.500000Z, runs_per_day: 2, runs_total: 4}
  - {code: post, kind: post-evaluation, title: After, feedback: scores, opens_at: 2026-06-01T00:00:00Z}
"""

FILES = {
    "task.yaml": TASK,
    "gold/de_one.conllu": FIRST,
    "gold/en_two.conllu": SECOND,
    "gold/en_two.corrected.conllu": CORRECTED,
    "texts/first.txt": "Der Hund schläft .\n",
    "texts/second.txt": "Der  Hund\nschläft.\n",
    "raw/en_two.txt": "Birds sing loudly\n",
    "inputs/en_two.conllu": UNTREED,
    "samples/en_two.conllu": FIRST,
}


def write_folder(folder: Path, replaced: dict[str, str | None] | None = None) -> Path:
    """None leaves a file out."""
    for name, content in (FILES | (replaced or {})).items():
        path = folder / name
        if content is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def task_command(*arguments: object) -> str:
    output = io.StringIO()
    call_command("task", *map(str, arguments), stdout=output)
    return output.getvalue()

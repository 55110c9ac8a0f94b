"""A task of many small test sets, the archives that teams upload to it, and the scores these must get.

The expected scores come from the library alone, without site, worker or database: whatever happens to the
processes, these are the figures at the end.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

import evaluation
from sharedtask.content.demo.corrupt import Rates, corrupt
from tests.machinery.site import ROOT

SENTENCES = 4


@dataclass(frozen=True, kw_only=True)
class Campaign:
    folder: Path
    gold: dict[str, str]

    def archive(self, team: str, number: int) -> tuple[bytes, dict[str, str]]:
        """What a team uploads as its n-th run; every run is different. Some leave a file out or break one."""
        rates = Rates(boundaries=0.1, tokens=0.02, heads=0.1 + 0.01 * number, labels=0.1, tags=0.1)
        files = {
            code: corrupt(text, rates, seed=f"{team}/{number}/{code}") for code, text in self.gold.items()
        }
        codes = sorted(files)
        seed = sum(team.encode()) + number
        if seed % 5 == 0:
            del files[codes[seed % len(codes)]]
        if seed % 7 == 0:
            broken = codes[(seed + 1) % len(codes)]
            files[broken] = self.gold[broken].rstrip("\n")[:-10]
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for code, text in files.items():
                archive.writestr(zipfile.ZipInfo(f"{code}.conllu"), text.encode())
        return buffer.getvalue(), files

    def expected(self, files: dict[str, str]) -> dict[str, Any]:
        """For each test set the counts of all metrics, or `missing` or `invalid`."""
        values: dict[str, Any] = {}
        for code, gold in self.gold.items():
            if code not in files:
                values[code] = "missing"
                continue
            try:
                score = evaluation.score(gold.encode(), files[code].encode(), profile="conll17")
            except evaluation.InvalidFile:
                values[code] = "invalid"
                continue
            values[code] = {
                name: [metric.gold, metric.system, metric.correct, metric.aligned]
                for name, metric in score.metrics.items()
            }
        return values


def build(folder: Path, *, sets: int, blind: bool = False, replicates: int = 50) -> Campaign:
    """Slices of the demo's treebanks, as a task folder."""
    gold: dict[str, str] = {}
    sources = sorted((ROOT / "demo" / "gold").glob("*.conllu"))
    for number in range(sets):
        source = sources[number % len(sources)]
        sentences = source.read_text(encoding="utf-8").strip("\n").split("\n\n")
        first = SENTENCES * (number // len(sources))
        gold[f"{source.stem}{number}"] = "\n\n".join(sentences[first : first + SENTENCES]) + "\n\n"
    (folder / "gold").mkdir(parents=True)
    for code, text in gold.items():
        (folder / "gold" / f"{code}.conllu").write_text(text, encoding="utf-8")
    if blind:
        (folder / "raw").mkdir()
        for code, text in gold.items():
            # The treebanks are the demo's, which are public.
            raw = evaluation.raw_text(evaluation.read(text.encode()))
            (folder / "raw" / f"{code}.txt").write_text(raw, encoding="utf-8")
    values = {
        "slug": "drill",
        "title": "Drill",
        "summary": "Many small test sets.",
        "description": "One paragraph.",
        "profile": "conll17",
        "missing": "zero",
        "baselines_ranked": True,
        "groups": ["odd", "even"],
        "replicates": replicates,
        "phases": [
            {
                "code": "test" if blind else "open",
                "kind": "test" if blind else "development",
                "title": "Test phase" if blind else "Open phase",
                "feedback": "validity" if blind else "scores",
                "opens_at": datetime(2026, 1, 1, tzinfo=UTC),
            }
        ],
        "test_sets": [
            {
                "code": code,
                "language": code,
                "tag": code[:2],
                "groups": ["odd" if number % 2 else "even"],
                "public_gold": not blind,
            }
            for number, code in enumerate(gold)
        ],
    }
    (folder / "task.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return Campaign(folder=folder, gold=gold)

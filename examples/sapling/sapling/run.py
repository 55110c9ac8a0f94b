"""The contract of a shared task: parse what `metadata.json` lists.

In: a folder with `metadata.json`, a list of entries. Each has a file of words and tags (`psegmorfile`) and
the name of the output (`outfile`); it may have a file of constraints (`constraintsfile`) and sentences to
train on first (`trainfile`). Out: the output files, in another folder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .conllu import read
from .constraints import read_constraints
from .model import Model, train

Entry = Mapping[str, str]


@dataclass(frozen=True)
class Settings:
    """What a run does not learn from its inputs.

    models: a model, or a folder with `<ltcode>.model`, `<lcode>.model` or `default.model`; decoder: for
    entries that are trained first; width: that of the beam.
    """

    models: Path
    decoder: str
    width: int


def run(inputs: Path, outputs: Path, settings: Settings) -> None:
    """Parse every entry, with the model that was trained for it or that fits its treebank."""
    models: dict[Path, Model] = {}
    for entry in json.loads((inputs / "metadata.json").read_text(encoding="utf-8")):
        path = inputs / entry["trainfile"] if entry.get("trainfile") else _model_path(settings.models, entry)
        if path not in models:
            models[path] = _model(path, settings, is_training=bool(entry.get("trainfile")))
        _parse_entry(models[path], entry, inputs, outputs)


def _model(path: Path, settings: Settings, *, is_training: bool) -> Model:
    if is_training:
        return train(read(path), settings.decoder, width=settings.width)
    return Model.load(path, settings.width)


def _model_path(models: Path, entry: Entry) -> Path:
    if models.is_file():
        return models
    for name in (entry.get("ltcode"), entry.get("lcode"), "default"):
        if name and (path := models / f"{name}.model").is_file():
            return path
    raise ValueError(f"{models} has no model for {entry.get('ltcode')} and no default.model")


def _parse_entry(model: Model, entry: Entry, inputs: Path, outputs: Path) -> None:
    constraints = inputs / entry["constraintsfile"] if entry.get("constraintsfile") else None
    # A file appears under its name only when it is complete.
    partial = outputs / f"{entry['outfile']}.partial"
    sentences = parse_file(model, inputs / entry["psegmorfile"], partial, constraints)
    partial.rename(outputs / entry["outfile"])
    print(f"{entry['outfile']}: {sentences} sentences", file=sys.stderr, flush=True)


def parse_file(model: Model, source: Path, target: Path, constraints: Path | None = None) -> int:
    """Parse a file of sentences; returns their number."""
    sentences = read(source)
    limits = read_constraints(constraints, sentences) if constraints else [None] * len(sentences)
    with target.open("w", encoding="utf-8", newline="\n") as output:
        for sentence, own in zip(sentences, limits, strict=True):
            output.write(model.parse(sentence, own))
    return len(sentences)

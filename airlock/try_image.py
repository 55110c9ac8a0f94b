"""Try an image locally, in the same airlock as on a server: check, rewrite, load, run, read what it wrote.

    trial = try_image(Path("parser.tar"), Path("inputs"), Path("outputs"), on_event=print)
    if trial.outcome.error_of is None and not trial.missing:
        ...                                       # it would have run on the server

An image that a server would refuse raises `ImageRefused`. Where there is no engine that can be used, or a
folder cannot be used, `AirlockError` says why in one sentence; so does `SystemFailure`, which is one, for a
command that cannot be started.
"""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .contract import METADATA, entries_of, metadata_file
from .engine import (
    AirlockError,
    Engine,
    EngineUnavailable,
    Limits,
    Observation,
    Outcome,
    OutputFile,
    Running,
    RunSpec,
    SystemFailure,
    connect,
)
from .images import Image, ImageLimits, rewrite

PAUSE_SECONDS = 0.5


class FolderNotUsable(AirlockError):
    """The folder of the inputs or that of the outputs is not what it should be."""


@dataclass(frozen=True, kw_only=True)
class Event:
    step: Literal["engine", "image", "loaded", "started", "running", "ended"]
    sentence: str
    observation: Observation | None = None
    """While it is running."""

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, kw_only=True)
class Trial:
    image: Image
    outcome: Outcome
    written: tuple[str, ...]
    """Names of the files that are now in the folder of the outputs."""
    missing: tuple[str, ...]
    """Files that metadata.json asks for and that were not written."""
    problems: tuple[str, ...]
    """What was written and not read, and why."""


def try_image(
    image: Path,
    inputs: Path,
    outputs: Path,
    *,
    limits: Limits | None = None,
    engine: Engine | None = None,
    on_event: Callable[[Event], None] = lambda event: None,
) -> Trial:
    """Run the image on the files in `inputs`, and leave what it writes in `outputs`, a new or empty folder.

    Without `metadata.json` there is an entry for each `CODE.txt`, as the site names its inputs. The engine is
    that of `connect` by default.
    """
    files = input_files(inputs)
    prepare_outputs(outputs)
    own = connect() if engine is None else None
    engine = engine or own
    assert engine is not None
    try:
        return _try(engine, image, files, outputs, limits=limits or Limits(), on_event=on_event)
    finally:
        if own is not None:
            own.close()


def _try(
    engine: Engine,
    image: Path,
    files: Mapping[str, bytes | Path],
    outputs: Path,
    *,
    limits: Limits,
    on_event: Callable[[Event], None],
) -> Trial:
    if engine.refusal is not None:
        raise EngineUnavailable(engine.refusal)
    on_event(Event(step="engine", sentence=f"The engine is {engine.description}."))
    with tempfile.TemporaryDirectory(prefix="arboretum-") as name:
        archive = Path(name) / "image.tar"
        checked = _check(image, archive)
        on_event(Event(step="image", sentence=_accepted(checked)))
        is_new = not engine.has_image(checked.image_id)
        with archive.open("rb") as content:
            engine.load(content, checked.image_id)
    on_event(Event(step="loaded", sentence="The engine has loaded it."))
    try:
        spec = RunSpec(
            run_id=f"trial-{secrets.token_hex(6)}", image_id=checked.image_id, inputs=files, limits=limits
        )
        running = engine.start(spec)
        try:
            on_event(Event(step="started", sentence=_started(files)))
            outcome = _follow(running, on_event)
            written, problems = _read_outputs(running, outputs)
        finally:
            running.remove()
    finally:
        if is_new:
            engine.remove_image(checked.image_id)
    on_event(Event(step="ended", sentence=outcome.sentence))
    missing = [name for name in _expected(files) if name not in written]
    return Trial(
        image=checked,
        outcome=outcome,
        written=tuple(written),
        missing=tuple(missing),
        problems=tuple(problems),
    )


def input_files(folder: Path) -> dict[str, bytes | Path]:
    """All files below it but hidden ones; `metadata.json` is made if there is none."""
    if not folder.is_dir():
        raise FolderNotUsable(f"{folder} is not a folder with inputs.")
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files: dict[str, bytes | Path] = {
        path.relative_to(folder).as_posix(): path
        for path in paths
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }
    if METADATA not in files:
        entries = entries_of(files)
        if not entries:
            raise FolderNotUsable(f"{folder} has neither {METADATA} nor a raw text CODE.txt.")
        files[METADATA] = metadata_file(entries)
    _expected(files)
    return files


def prepare_outputs(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FolderNotUsable(f"{folder} is not empty; outputs need a new or an empty folder.")


def _expected(files: Mapping[str, bytes | Path]) -> list[str]:
    content = files[METADATA]
    data = content if isinstance(content, bytes) else content.read_bytes()
    try:
        return [str(entry["outfile"]) for entry in json.loads(data)]
    except (ValueError, TypeError, KeyError) as error:
        raise FolderNotUsable(f"{METADATA} is not a list of entries with an outfile.") from error


def _check(image: Path, target: Path) -> Image:
    try:
        with image.open("rb") as source, target.open("w+b") as written:
            return rewrite(source, written, limits=ImageLimits(), scratch=target.parent)
    except OSError as error:
        raise FolderNotUsable(f"{image} cannot be read: {error.strerror}.") from error


def _started(files: Mapping[str, bytes | Path]) -> str:
    inputs = len(files.keys() - {METADATA})
    return f"It runs on {inputs} input file{'s' * (inputs != 1)}."


def _accepted(image: Image) -> str:
    layers = f"{image.layers} layer{'s' * (image.layers != 1)}"
    return (
        f"The image is accepted: {image.size_bytes:,} bytes in {layers}, command {' '.join(image.command)}."
    )


def _follow(running: Running, on_event: Callable[[Event], None]) -> Outcome:
    while (seen := running.observe()).state == "running":
        sentence = f"Running for {seen.wall_seconds:.0f} s: {seen.output_files} output files."
        on_event(Event(step="running", sentence=sentence, observation=seen))
        time.sleep(PAUSE_SECONDS)
    return running.finish()


def _read_outputs(running: Running, folder: Path) -> tuple[list[str], list[str]]:
    """Names are safe, and a file of the system is created in folders that were created here."""
    written: list[str] = []
    problems: list[str] = []
    try:
        for output in running.outputs():
            if output.problem is not None:
                problems.append(f"{output.name}: {output.problem}")
            else:
                _write(output, folder / output.name)
                written.append(output.name)
    except SystemFailure as failure:
        problems.append(str(failure))
    return written, problems


def _write(output: OutputFile, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as target:
        shutil.copyfileobj(output.stream, target)

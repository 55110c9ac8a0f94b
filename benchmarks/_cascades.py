"""The whole experiment with constraints: Sapling with both decoders, French and English.

Run with `make cascades`; the models are those of `make sapling`, trained first if there are none. A third
system is the transition-based decoder with a narrow beam, which loses coverage.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "examples" / "sapling")]

from _sapling import MODELS, trained, unpack  # noqa: E402
from sapling.model import Model  # noqa: E402
from sapling.run import parse_file  # noqa: E402

import evaluation  # noqa: E402
from evaluation.cascades.experiment import Experiment  # noqa: E402
from evaluation.cascades.run_figures import RunFigures  # noqa: E402
from evaluation.cli import main as evaluate  # noqa: E402
from evaluation.errors.parse import built_in  # noqa: E402

TREEBANKS = ("fr_sequoia", "en_ewt")
WIDTH, NARROW = 16, 2
SYSTEMS = {"graph": WIDTH, "transition": WIDTH, "transition, narrow beam": NARROW}


def main() -> None:
    for treebank in sys.argv[1:] or TREEBANKS:
        for system, width in SYSTEMS.items():
            decoder = system.split(",")[0]
            trained(treebank, decoder)
            model = Model.load(MODELS / decoder / f"{treebank}.model", width)
            with tempfile.TemporaryDirectory() as folder:
                print(f"\n== {treebank}, {system} (beam {width})\n", flush=True)
                experiment(Path(folder), treebank, model)


def experiment(folder: Path, treebank: str, model: Model) -> None:
    unpack(folder, treebank)
    folder /= treebank
    if evaluate(["cascades", str(folder), "--prepare"]):
        sys.exit(1)
    outputs = folder / "outputs"
    outputs.mkdir()
    parse_file(model, folder / "input.conllu", outputs / "plain.conllu")
    for constraints in sorted((folder / "constraints").iterdir()):
        parse_file(model, folder / "input.conllu", outputs / constraints.name, constraints)
    for options in ([], ["--punctuation"], ["--sentences", "own"], ["--sentences", "own", "--punctuation"]):
        print(f"-- {' '.join(options) or 'sentences covered by every class, without punctuation'}")
        if evaluate(["cascades", str(folder), *options]):
            sys.exit(1)
    repaired_and_destroyed(folder)


def repaired_and_destroyed(folder: Path) -> None:
    """Arcs repaired and destroyed outside the constrained class: runs across, classes of the words down."""
    gold = evaluation.read(folder / "gold.conllu")
    outputs = {path.stem: path for path in (folder / "outputs").iterdir()}
    classes = built_in("universal")
    rows = Experiment(gold, outputs, classes).rows()
    check(rows)
    print("-- repaired / destroyed")
    print(f"{'':<20}" + "".join(f"{row.run[:12]:>14}" for row in rows[:-2]))
    for name in classes.names:
        cells = (f"{row.repaired[name]} / {row.destroyed[name]}" for row in rows[:-2])
        print(f"{name:<20}" + "".join(f"{cell:>14}" for cell in cells), flush=True)


def check(rows: list[RunFigures]) -> None:
    for row in rows:
        if row.constrained_gain + row.unconstrained_gain != row.gain:
            sys.exit(f"The gains of {row.run} do not add up.")


if __name__ == "__main__":
    main()

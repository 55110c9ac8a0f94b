"""How good Sapling is: both decoders on four treebanks, next to a parser trained on 500 sentences.

Run with `make sapling`, or as a script for some treebanks only. The models are kept in `build/sapling`, where
`make cascades` finds them. UAS is over words whose gold tag is not PUNCT.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import time
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples" / "sapling"))

from sapling.conllu import UPOS, Sentence, read  # noqa: E402
from sapling.model import DECODERS, Model, train  # noqa: E402
from sapling.run import parse_file  # noqa: E402

MODELS = ROOT / "build" / "sapling"
DATA = ROOT.parent / "shared" / "data" / "curves"
TREEBANKS = ("fr_sequoia", "en_ewt", "tr_imst", "el_gdt")


def main() -> None:
    if not DATA.is_dir():
        sys.exit("NOT MEASURED: ../shared/data/curves is not next to this checkout.")
    print(f"{'treebank':<12} {'500 sentences':>13}  {'decoder':<10} {'UAS':>6}  training (processor time)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for treebank in sys.argv[1:] or TREEBANKS:
            measure(folder, treebank)


def trained(treebank: str, decoder: str) -> Model:
    """The model of a treebank, trained now if it has not been before."""
    path = MODELS / decoder / f"{treebank}.model"
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            unpack(Path(folder), "train")
            model = train(read(Path(folder) / treebank / "train.conllu"), decoder)
        path.parent.mkdir(parents=True, exist_ok=True)
        model.save(path)
    return Model.load(path)


def unpack(folder: Path, name: str) -> None:
    with tarfile.open(DATA / f"{name}.tar.xz") as packed:
        packed.extractall(folder, filter="data")


def measure(folder: Path, treebank: str) -> None:
    unpack(folder, treebank)
    gold_file = folder / treebank / "gold.conllu"
    gold = read(gold_file)
    samples = sorted((folder / treebank).glob("500-*.conllu"))
    bar = mean(attachment(gold, read(sample)) for sample in samples)
    for decoder in DECODERS:
        start = time.process_time()
        (MODELS / decoder / f"{treebank}.model").unlink(missing_ok=True)
        model = trained(treebank, decoder)
        seconds = time.process_time() - start
        parse_file(model, gold_file, folder / "output.conllu")
        score = attachment(gold, read(folder / "output.conllu"))
        print(f"{treebank:<12} {bar:13.2f}  {decoder:<10} {score:6.2f}  {seconds:.0f} s", flush=True)


def attachment(gold: list[Sentence], system: list[Sentence]) -> float:
    pairs = [
        (head, guess)
        for right, other in zip(gold, system, strict=True)
        for tag, head, guess in zip(right.column(UPOS), right.heads, other.heads, strict=True)
        if tag != "PUNCT"
    ]
    return 100 * mean(head == guess for head, guess in pairs)


if __name__ == "__main__":
    main()

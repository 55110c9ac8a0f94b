"""How good Sapling is: both decoders on four treebanks, next to a parser trained on 500 sentences.

    python examples/sapling/evaluate.py [TREEBANK…]

UAS here is over words whose gold tag is not PUNCT.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import time
from pathlib import Path
from statistics import mean

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from sapling.conllu import UPOS, Sentence, read  # noqa: E402
from sapling.model import DECODERS, train  # noqa: E402
from sapling.run import parse_file  # noqa: E402

DATA = HERE.parents[1].parent / "shared" / "data" / "curves"
TREEBANKS = ("en_ewt", "fr_sequoia", "tr_imst", "el_gdt")


def main() -> None:
    if not DATA.is_dir():
        sys.exit("NOT MEASURED: ../shared/data/curves is not next to this checkout.")
    print(f"{'treebank':<12} {'500 sentences':>13}  {'decoder':<10} {'UAS':>6}  training (processor time)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for treebank in sys.argv[1:] or TREEBANKS:
            measure(folder, treebank)


def measure(folder: Path, treebank: str) -> None:
    for archive in (DATA / f"{treebank}.tar.xz", DATA / "train.tar.xz"):
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    gold_file = folder / treebank / "gold.conllu"
    gold, training = read(gold_file), read(folder / treebank / "train.conllu")
    samples = sorted((folder / treebank).glob("500-*.conllu"))
    bar = mean(attachment(gold, read(sample)) for sample in samples)
    for decoder in DECODERS:
        begun = time.process_time()
        model = train(training, decoder)
        seconds = time.process_time() - begun
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

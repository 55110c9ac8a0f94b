"""A scorer of organisers: how many roots are the correct word. docs/scorers.md describes the contract.

    python3 scorer.py INPUT_DIR OUTPUT_DIR

Roots are compared by their characters, because a system may segment sentences and words in its own way.
"""

import json
import sys
from bisect import bisect_right
from pathlib import Path

Span = tuple[int, int]


def read(path: Path) -> tuple[list[int], list[Span]]:
    """Where each sentence begins, and the characters of each root, counted without white space."""
    sentences, roots = [0], []
    position = covered = start = 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        number, _, rest = line.partition("\t")
        if not line:
            sentences.append(position)
            covered = 0
        elif not line.startswith("#") and "." not in number:
            first, _, last = number.partition("-")
            if int(first) > covered:
                # A token; the words of a range such as 1-2 share its characters.
                start, position = position, position + len("".join(rest.split("\t")[0].split()))
                covered = int(last or first)
            if not last and rest.split("\t")[5] == "0":
                roots.append((start, position))
    return sentences, roots


def score(gold: Path, system: Path, sizes: list[int]) -> dict[str, object]:
    """Units × (gold, system, correct). A root counts in the unit of gold that its first character is in."""
    sentences, gold_roots = read(gold)
    unit_of_sentence = [unit for unit, number in enumerate(sizes) for _ in range(number)]

    def unit_of(root: Span) -> int:
        return unit_of_sentence[bisect_right(sentences, root[0], hi=len(unit_of_sentence)) - 1]

    roots, missed = [[0, 0, 0] for _ in sizes], [[0, 0, 0] for _ in sizes]
    for root in gold_roots:
        roots[unit_of(root)][0] += 1
        # A share: of all roots (gold, system), those that are missed (correct).
        missed[unit_of(root)] = [count + 1 for count in missed[unit_of(root)]]
    left = list(gold_roots)
    for root in read(system)[1]:
        roots[unit_of(root)][1] += 1
        if root in left:
            left.remove(root)
            roots[unit_of(root)][2] += 1
            missed[unit_of(root)][2] -= 1
    return {"metrics": {"Roots": report(roots), "Missed roots": report(missed)}}


def report(units: list[list[int]]) -> dict[str, object]:
    return {"units": units, "total": [sum(column) for column in zip(*units, strict=True)]}


def main() -> None:
    inputs, outputs = Path(sys.argv[1]), Path(sys.argv[2])
    metadata = json.loads((inputs / "metadata.json").read_text(encoding="utf-8"))
    scores = score(inputs / metadata["gold"], inputs / metadata["system"], metadata["sentences"])
    (outputs / "scores.json").write_text(json.dumps(scores), encoding="utf-8")


if __name__ == "__main__":
    main()

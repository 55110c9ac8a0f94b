"""A small parser in Python: python3 parser.py INPUT_DIR OUTPUT_DIR

Where the organisers give segmented and tagged words (`psegmorfile`), these are taken, and only heads and
relations are replaced. Otherwise words end at white space and punctuation, and sentences at a full stop or an
empty line. Modifiers depend on the next noun, other tagged words on the first verb of their sentence, and
words without tags on the word before them.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

# The white space of Unicode, which is not quite that of Python.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
MARK = r"!-&(-,./:-@\[-`{-~¡«»¿،؛؟।\u2010-\u2027\u2030-\u203a\u3001-\u303f！-／：-＠"
IDEOGRAPH = "\u3040-\u30ff\u3400-\u9fff"
TOKEN = re.compile(rf"(?P<word>[{MARK}]|[{IDEOGRAPH}]|[^{SPACE}{MARK}{IDEOGRAPH}]+)(?P<space>[{SPACE}]*)")
FULL_STOPS = frozenset(".!?…。！？।؟")
MODIFIERS = {"DET": "det", "ADJ": "amod", "ADP": "case", "NUM": "nummod"}
NOUNS = frozenset({"NOUN", "PROPN"})
ID, FORM, UPOS, HEAD, RELATION, MISC = 0, 1, 3, 6, 7, 9


def main() -> None:
    folders = sys.argv[1:3] or [os.environ["INPUT_DIR"], os.environ["OUTPUT_DIR"]]
    inputs, outputs = map(Path, folders)
    for entry in json.loads((inputs / "metadata.json").read_text(encoding="utf-8")):
        print("parsing", entry["ltcode"], flush=True)
        if entry.get("psegmorfile"):
            sentences = read_sentences(inputs / entry["psegmorfile"])
        else:
            sentences = split_text((inputs / entry["rawfile"]).read_bytes().decode("utf-8"))
        with (outputs / entry["outfile"]).open("w", encoding="utf-8", newline="\n") as file:
            for sentence in sentences:
                parse(sentence)
                file.writelines("\t".join(word) + "\n" for word in sentence)
                file.write("\n")


def read_sentences(path: Path) -> Iterator[list[list[str]]]:
    """Lines of ten columns; comments are left out."""
    sentence: list[list[str]] = []
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line.strip():
                sentence += [] if line.startswith("#") else [line.rstrip("\n").split("\t")]
            elif sentence:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def split_text(text: str) -> Iterator[list[list[str]]]:
    sentence: list[list[str]] = []
    for match in TOKEN.finditer(text):
        tag = "PUNCT" if re.match(f"[{MARK}]", match["word"]) else "X"
        misc = "_" if match["space"] else "SpaceAfter=No"
        number = str(len(sentence) + 1)
        sentence.append([number, match["word"], "_", tag, *"_____", misc])
        is_end = match["word"] in FULL_STOPS and (match["space"] or not match["word"].isascii())
        if is_end or match["space"].count("\n") > 1:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def parse(sentence: list[list[str]]) -> None:
    """Set head and relation of every word; ranges and empty nodes have none."""
    words = [line for line in sentence if line[ID].isdigit()]
    root = next((word for word in words if word[UPOS] == "VERB"), words[0])
    noun = None
    for word in reversed(words):
        head = str(int(word[ID]) - 1) if word[UPOS] == "X" else root[ID]
        word[HEAD], word[RELATION] = head, "punct" if word[UPOS] == "PUNCT" else "dep"
        if word[UPOS] in NOUNS:
            noun = word
        elif word[UPOS] in MODIFIERS and noun is not None:
            word[HEAD], word[RELATION] = noun[ID], MODIFIERS[word[UPOS]]
    root[HEAD], root[RELATION] = "0", "root"


if __name__ == "__main__":
    main()

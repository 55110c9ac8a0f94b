"""The contract with a system, as in CoNLL 2017 and 2018: `metadata.json` and the names of files.

The site and `try_image` use the same, so that a system gets the same files locally.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

METADATA = "metadata.json"
RAW, GOLD = "raw", "gold"
CONSTRAINTS = "constraints"
"""Gold arcs that a system has to keep. Only experiments give them, on gold that is public."""
CODE_OF_RAW = re.compile(r"[^./]+\.txt")
WITHOUT_TREEBANK = "0"
"""The `tcode` of a test set whose code is only a language, as in 2017."""


def metadata_of(code: str, filenames: Mapping[str, str]) -> dict[str, str]:
    """`rawfile` for the raw text, `psegmorfile` for the variant `psegmor`, and so on; never `goldfile`."""
    language, _, treebank = code.partition("_")
    entry = {"lcode": language, "tcode": treebank or WITHOUT_TREEBANK, "ltcode": code}
    entry |= {f"{variant}file": filename for variant, filename in filenames.items() if variant != GOLD}
    return entry | {"outfile": outfile_of(code)}


def entries_of(filenames: Iterable[str]) -> list[dict[str, str]]:
    """For files as the site names them: `CODE.txt` is a raw text, `CODE.VARIANT.conllu` a variant of it."""
    names = sorted(filenames)
    codes = [name.removesuffix(".txt") for name in names if CODE_OF_RAW.fullmatch(name)]
    return [metadata_of(code, {RAW: f"{code}.txt"} | variants_of(code, names)) for code in codes]


def variants_of(code: str, names: Iterable[str]) -> dict[str, str]:
    parts = ((name, name.split(".")) for name in names if name.startswith(f"{code}."))
    return {words[1]: name for name, words in parts if len(words) == 3}


def outfile_of(code: str) -> str:
    return f"{code}.conllu"


def metadata_file(entries: Iterable[Mapping[str, str]]) -> bytes:
    return json.dumps(list(entries), ensure_ascii=False, indent=1).encode() + b"\n"

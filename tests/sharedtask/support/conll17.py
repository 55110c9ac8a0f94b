"""A small copy of the data of 2017, and the command that loads it."""

from __future__ import annotations

import io
from pathlib import Path

from django.core.management import call_command

from tests.sharedtask.support.building import FIRST, SECOND, TWO_ROOTS, WRONG_HEAD, tar_of


def load(folder: Path, **options: str) -> str:
    output = io.StringIO()
    call_command("load_conll17", folder, jobs=1, stdout=output, **options)
    return output.getvalue()


def small_data(folder: Path) -> Path:
    """Two test sets, one of them a surprise in a language that nobody knows; three teams and a baseline."""
    folder.mkdir()
    sets: dict[str, dict[str, str | bytes]] = {
        "de_one": {
            "gold": FIRST,
            "system/Koc-University": FIRST,
            "system/conll17-baseline": FIRST.replace("nsubj", "obj"),
            "system/Unheard": FIRST,
        },
        "qqq": {
            "gold": SECOND,
            "system/Koc-University": WRONG_HEAD,
            "system/conll17-baseline": SECOND,
            "system/UT": TWO_ROOTS,
        },
    }
    for code, files in sets.items():
        named: dict[str, str | bytes] = {f"{code}/{name}.conllu": text for name, text in files.items()}
        (folder / f"{code}.tar.xz").write_bytes(tar_of(named, "xz"))
    (folder / "groups.tsv").write_text("treebank\tgroup\nde_one\tbig\nqqq\tsurprise\nar\tsmall\n")
    (folder / "published-ranking.tsv").write_text(
        "rank\tteam\n1\tKoç University (İstanbul)\n2\tBASELINE UDPipe 1.1 (Praha)\n3\tUT (Tartu)\n"
    )
    (folder / "published-per-treebank.tsv").write_text(
        "team\ttreebank\tvm\tsrun\nUT\tqqq\tUT\t2017-05-15-01-44-30\nUT\tar\tUT\t2017-05-09-00-00-00\n"
    )
    return folder

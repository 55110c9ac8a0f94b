"""The entries of metadata.json that are made for a local folder of inputs."""

from __future__ import annotations

import json

from airlock.contract import entries_of, metadata_file


def test_files_named_as_the_site_names_them_give_the_keys_of_the_real_tasks() -> None:
    names = ["grc_proiel.txt", "grc_proiel.psegmor.conllu", "grc_proiel.gold.conllu", "la.txt", "notes/x.txt"]
    assert entries_of(names) == [
        {
            "lcode": "grc",
            "tcode": "proiel",
            "ltcode": "grc_proiel",
            "rawfile": "grc_proiel.txt",
            "psegmorfile": "grc_proiel.psegmor.conllu",
            "outfile": "grc_proiel.conllu",
        },
        {"lcode": "la", "tcode": "0", "ltcode": "la", "rawfile": "la.txt", "outfile": "la.conllu"},
    ], "gold is never named"


def test_the_file_is_a_list_of_entries() -> None:
    entries = entries_of(["fr_größe.txt"])
    assert json.loads(metadata_file(entries)) == entries

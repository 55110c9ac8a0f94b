"""The formats of files: how many columns, and which lines and trees are allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format with tab-separated columns and a blank line after every sentence.

    `columns` are the columns of a line; the reader arranges them as those of CoNLL-U. `plain` files have
    neither comments nor ranges nor empty nodes. `several_roots`: more than one word may have HEAD 0.
    `enhanced`: DEPS has a graph, which is checked. Without `trees`, HEAD is not read, and every word is a
    root: files that give tokens hide it.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    plain: bool = False
    several_roots: bool = False
    enhanced: bool = False
    trees: bool = True

    @property
    def without_trees(self) -> Format:
        """The same format of a file with hidden heads."""
        return replace(self, trees=False, enhanced=False)


_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

CONLLU = Format(name="conllu", title="CoNLL-U", columns=_COLUMNS)
CONLLU_SEVERAL_ROOTS = replace(
    CONLLU, name="conllu-roots", title="CoNLL-U with several roots", several_roots=True
)
CONLLX = Format(
    name="conllx",
    title="CoNLL-X",
    columns=("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"),
    plain=True,
    several_roots=True,
)
NINE_COLUMNS = Format(
    name="nine",
    title="nine columns (PASCAL 2012)",
    columns=("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "UPOSTAG", "FEATS", "HEAD", "DEPREL"),
    plain=True,
    several_roots=True,
)
NINE_COLUMNS_TAGS = replace(
    NINE_COLUMNS, name="nine-tags", title="nine columns without trees (PASCAL 2012, tags)", trees=False
)

FORMATS: Mapping[str, Format] = {
    format.name: format for format in (CONLLU, CONLLU_SEVERAL_ROOTS, CONLLX, NINE_COLUMNS, NINE_COLUMNS_TAGS)
}

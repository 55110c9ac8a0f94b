"""The demo treebanks in the nine columns of PASCAL 2012: words without comments, ranges and empty nodes.

In: the text of a CoNLL-U file. Out: the same words in nine columns. A word without a fine tag gets its
universal one.
"""

from __future__ import annotations

import conllu


def nine_columns(text: str, *, classes: dict[str, str] | None = None, has_heads: bool = True) -> str:
    """Of gold, or of a system: with induced classes instead of tags, and without heads where it has none."""
    return "".join(f"{sentence_lines(rows, classes, has_heads)}\n" for rows in conllu.parse(text))


def with_prepositions_as_heads(text: str) -> str:
    """The same trees, but the first preposition of a noun takes its place, and the noun depends on it."""
    sentences = conllu.parse(text)
    for sentence in sentences:
        words = {row["id"]: row for row in sentence if isinstance(row["id"], int)}
        turned: set[int] = set()
        for number, row in words.items():
            noun = row["head"]
            if row["deprel"] == "case" and noun not in turned:
                turned.add(noun)
                row["head"], row["deprel"] = words[noun]["head"], words[noun]["deprel"]
                words[noun]["head"], words[noun]["deprel"] = number, "obl"
    return "".join(sentence.serialize() for sentence in sentences)


def sentence_lines(rows: conllu.TokenList, classes: dict[str, str] | None, has_heads: bool) -> str:
    words = [row for row in rows if isinstance(row["id"], int)]
    return "".join(
        "\t".join([str(row["id"]), row["form"], *annotation(row, classes, has_heads)]) + "\n" for row in words
    )


def annotation(row: conllu.Token, classes: dict[str, str] | None, has_heads: bool) -> list[str]:
    tree = [str(row["head"]), row["deprel"]] if has_heads else ["_", "_"]
    if classes is not None:
        return ["_", "_", "_", classes.get(row["upos"], "_"), "_", *tree]
    features = "|".join(f"{name}={value}" for name, value in (row["feats"] or {}).items()) or "_"
    return [row["lemma"] or "_", row["upos"], row["xpos"] or row["upos"], row["upos"], features, *tree]

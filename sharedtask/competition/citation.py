"""How a task is cited: what its text says in words, and the BibTeX entries in it.

In: the text of the task. Out: `Citation`. An entry begins with `@name{` and ends with the brace that closes
it; a fence of Markdown around it is no part of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ENTRY = re.compile(r"^[ \t]*@\w+\s*\{", re.MULTILINE)
FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n?", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Citation:
    words: str
    """Markdown, without the entries."""
    bibtex: str


def citation_of(text: str) -> Citation:
    if ENTRY.search(text) is None:
        return Citation(words=text.strip(), bibtex="")
    text, entries = FENCE.sub("", text), []
    while (begins := ENTRY.search(text)) is not None:
        end = end_of_entry(text, begins.end())
        entries.append(text[begins.start() : end].strip())
        text = text[: begins.start()] + text[end:]
    return Citation(words=text.strip(), bibtex="\n\n".join(entries))


def end_of_entry(text: str, inside: int) -> int:
    """Behind the closing brace; the end of the text where it is missing."""
    depth = 1
    for place in range(inside, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)

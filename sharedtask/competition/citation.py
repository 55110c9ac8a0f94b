"""How to cite a task: splits the task's citation text into prose and BibTeX entries.

In: the citation text of the task. Out: `Citation`. An entry begins with `@name{` and ends with the matching
brace; a Markdown code fence around it is dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ENTRY = re.compile(r"^[ \t]*@\w+\s*\{", re.MULTILINE)
FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n?", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Citation:
    text: str
    """Markdown, without the entries."""
    bibtex: str


def citation_of(text: str) -> Citation:
    if ENTRY.search(text) is None:
        return Citation(text=text.strip(), bibtex="")
    text, entries = FENCE.sub("", text), []
    while (start := ENTRY.search(text)) is not None:
        end = end_of_entry(text, start.end())
        entries.append(text[start.start() : end].strip())
        text = text[: start.start()] + text[end:]
    return Citation(text=text.strip(), bibtex="\n\n".join(entries))


def end_of_entry(text: str, inside: int) -> int:
    """The position after the closing brace; the end of the text if there is none."""
    depth = 1
    for position in range(inside, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return len(text)

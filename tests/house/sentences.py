"""Every sentence that a user can see, in one file to be read as a whole: `make sentences`.

In: the templates of pages and mails, and the strings of the code: forms, errors, incidents, notices, the
command line. Out: lines of `file:line: sentence`, what is filled in shown as `…`. Docstrings and comments are
for developers and are left out, and so are strings of a single word in the code, which are names.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = ("evaluation", "sharedtask", "workers", "serve")
SHOWN_ATTRIBUTES = ("title", "alt", "aria-label", "placeholder", "label", "content")
BLOCKS = frozenset(
    ("p", "li", "h1", "h2", "h3", "h4", "td", "th", "dt", "dd", "div", "caption", "figcaption", "summary")
    + ("legend", "label", "button", "option", "title")
)
FILLED_IN = "…"

Line = tuple[int, str]


class Texts(HTMLParser):
    """Collects text up to the next block element, and the attributes that people read or hear."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []
        self._words: list[str] = []
        self._began = 1
        self._hidden = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._hidden = tag in ("script", "style")
        if tag in BLOCKS:
            self.flush()
        for name, value in attributes:
            if value and (name in SHOWN_ATTRIBUTES or (tag == "input" and name == "value")):
                self.lines.append((self.getpos()[0], value))

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False
        if tag in BLOCKS:
            self.flush()

    def handle_data(self, data: str) -> None:
        if self._hidden or not data.strip():
            return
        if not self._words:
            self._began = self.getpos()[0]
        self._words.append(data)

    def flush(self) -> None:
        if self._words:
            self.lines.append((self._began, " ".join(" ".join(self._words).split())))
            self._words = []


def sentences_of_template(text: str) -> Iterator[Line]:
    text = re.sub(r"{%\s*comment\s*%}.*?{%\s*endcomment\s*%}|{#.*?#}", "", text, flags=re.DOTALL)
    text = re.sub(r"{{.*?}}", FILLED_IN, text)
    text = re.sub(r"{%.*?%}", lambda tag: "\n" * tag.group().count("\n"), text, flags=re.DOTALL)
    parser = Texts()
    parser.feed(text)
    parser.flush()
    yield from parser.lines


def sentences_of_code(text: str) -> Iterator[Line]:
    tree = ast.parse(text)
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in documented or id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(
                    str(part.value) if isinstance(part, ast.Constant) else FILLED_IN for part in node.values
                ),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def is_shown(text: str) -> bool:
    """Whatever a template says in letters, be it one word on a button."""
    return bool(re.search(r"[A-Za-z]{2,}", text))


def is_sentence(text: str) -> bool:
    """Words with spaces between them; neither a query, nor a line of CoNLL-U, nor a piece of markup."""
    if not re.search(r"[A-Za-z]{2,}[,;:]? +[A-Za-z…‘“(]", text):
        return False
    return not re.match(r"\s*(SELECT|SET LOCAL|PRAGMA|CREATE|DROP|<|\()", text)


def sentences() -> Iterator[str]:
    for root in CODE:
        for path in sorted((ROOT / root).rglob("*")):
            if path.suffix in (".html", ".txt") and "templates" in path.parts:
                lines, is_read = sentences_of_template(path.read_text(encoding="utf-8")), is_shown
            elif path.suffix == ".py" and "migrations" not in path.parts:
                lines, is_read = sentences_of_code(path.read_text(encoding="utf-8")), is_sentence
            else:
                continue
            for line, text in lines:
                if is_read(text):
                    yield f"{path.relative_to(ROOT)}:{line}: {' '.join(text.split())}"


def main() -> None:
    destination = Path(sys.argv[1])
    found = list(sentences())
    destination.parent.mkdir(parents=True, exist_ok=True)
    destination.write_text("\n".join(found) + "\n", encoding="utf-8")
    print(f"{len(found)} sentences in {destination}")


if __name__ == "__main__":
    main()

"""Every sentence that a user can see, in one file to be read as a whole: `make sentences`.

In: the templates of pages and mails, the pages of the proxy, the task folders of this repository, and the
strings of code and scripts: forms, errors, incidents, notices, the command line. Out: lines of `file:line:
sentence`, what is filled in shown as `…`. Docstrings, comments and logs are for developers and are left out,
and so are strings of a single word in the code, unless they begin with a capital letter: others are names.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
ROOTS = ("airlock", "evaluation", "examples", "sharedtask", "workers", "serve", "demo", "deploy/pages")
SHOWN_ATTRIBUTES = ("title", "alt", "aria-label", "placeholder", "label", "content")
BLOCKS = frozenset(
    ("p", "li", "h1", "h2", "h3", "h4", "td", "th", "dt", "dd", "div", "caption", "figcaption", "summary")
    + ("legend", "label", "button", "option", "title")
)
FILLED_IN = "…"
NOT_READ = frozenset(("Http404", "TypeVar"))
"""Functions whose strings users do not see; those of `log` and `re` neither."""
FEATURES_OF_PARSER = re.compile(r"[a-z]+\d?\.[a-z]+ (?:[a-z]+\d?\.|d|h|…)")
"""Such as `h.lemma h.upos direction`."""
STRING_OF_SCRIPT = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<selects>(?:querySelector(?:All)?|closest|matches)\()?
    (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|\${(?:[^{}`]|`[^`]*`)*}|[^`\\])*`)""",
    re.DOTALL | re.VERBOSE,
)

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
        if tag == "meta" and dict(attributes).get("name") != "description":
            return
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
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in node.values}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            left_out |= {id(part) for part in ast.walk(node)}
        elif isinstance(node, ast.Call) and is_not_read(node.func):
            left_out |= {id(part) for argument in node.args for part in ast.walk(argument)}
        elif isinstance(node, ast.Call) and is_lookup(node.func):
            left_out |= {id(argument) for argument in node.args[:1]}
        elif isinstance(node, ast.Subscript):
            left_out.add(id(node.slice))
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else FILLED_IN for part in node.values)
            line = "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            line = node.value
        else:
            continue
        if is_sentence(line) or re.fullmatch(r"[A-Z][a-z]{2,}", line):
            yield node.lineno, line


def is_not_read(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.value.id in ("log", "re")
    return isinstance(function, ast.Name) and function.id in NOT_READ


def is_lookup(function: ast.expr) -> bool:
    """Of a key in a document or of a header."""
    return isinstance(function, ast.Attribute) and function.attr in ("get", "pop", "setdefault")


def sentences_of_script(text: str) -> Iterator[Line]:
    for match in STRING_OF_SCRIPT.finditer(text):
        if not match["text"] or match["selects"]:
            continue
        line = re.sub(r"\${(?:[^{}`]|`[^`]*`)*}", FILLED_IN, match["text"][1:-1])
        if is_sentence(line) and line != "use strict":
            yield text.count("\n", 0, match.start("text")) + 1, line


def sentences_of_yaml(text: str) -> Iterator[Line]:
    nodes = [yaml.compose(text, Loader=yaml.SafeLoader)]
    while nodes:
        node = nodes.pop(0)
        if isinstance(node, yaml.MappingNode):
            nodes = [value for _, value in node.value] + nodes
        elif isinstance(node, yaml.SequenceNode):
            nodes = node.value + nodes
        elif isinstance(node, yaml.ScalarNode) and is_sentence(node.value):
            yield node.start_mark.line + 1, node.value


def is_shown(text: str) -> bool:
    """Whatever a template says in letters, be it one word on a button."""
    return bool(re.search(r"[A-Za-z]{2,}", text))


def is_sentence(text: str) -> bool:
    """Words with spaces between them; no query, CoNLL-U, markup, style, header or features of a parser."""
    if not re.search(r"[A-Za-z]{2,}[,;:]? +[A-Za-z…‘“(]", text):
        return False
    if re.match(r"\s*(SELECT|SET LOCAL|PRAGMA|CREATE|DROP|<|\(|attachment;|[a-z]+/[\w.+-]+;)", text):
        return False
    return not re.search(r"\w{[a-z-]+:", text) and not FEATURES_OF_PARSER.match(text)


def sentences_of(path: Path) -> Iterator[Line]:
    is_template = "templates" in path.parts or "pages" in path.parts
    if path.suffix in (".html", ".txt") and is_template:
        lines = sentences_of_template(path.read_text(encoding="utf-8"))
        yield from ((line, text) for line, text in lines if is_shown(text))
    elif path.suffix == ".py" and "migrations" not in path.parts:
        yield from sentences_of_code(path.read_text(encoding="utf-8"))
    elif path.suffix == ".js":
        yield from sentences_of_script(path.read_text(encoding="utf-8"))
    elif path.suffix == ".yaml":
        yield from sentences_of_yaml(path.read_text(encoding="utf-8"))


def sentences() -> Iterator[str]:
    for root in ROOTS:
        for path in sorted((ROOT / root).rglob("*")):
            for line, text in sentences_of(path):
                yield f"{path.relative_to(ROOT)}:{line}: {' '.join(text.split())}"


def main() -> None:
    destination = Path(sys.argv[1])
    lines = list(sentences())
    destination.parent.mkdir(parents=True, exist_ok=True)
    destination.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} sentences in {destination}")


if __name__ == "__main__":
    main()

"""Corrupt the text of a task.yaml: its lines, values and bytes, nesting, anchors and aliases."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

VALUES = (
    *("", "~", "null", "yes", "no", "0", "-1", "01", "1e9", ".inf", "99999999999999999999", "0x10", "1_000"),
    *("2026-05-31", "2026-05-31T12:00:00", "2026-99-99T00:00:00Z", "9999-12-31T23:59:59-23:59"),
    *("0001-01-01T00:00:00+23:59", "2026-05-31T24:00:00Z", "2026-W01-1T00:00:00Z", "12:30:45"),
    *('"\\0"', '"\\ud800"', '"\\U0010ffff"', '"\\x85"', '"\\n"', '" "', "'", '"', "|", ">-", "{", "[", "- -"),
    *(
        "*a",
        "&a",
        "&a b",
        "*",
        "<<",
        "!!python/object:os.system x",
        "!!binary aGk=",
        "!!set {a}",
        "!t x",
        "%Y",
    ),
    *(
        "conll17",
        "conll18",
        "document",
        "validity",
        "scores",
        "test",
        "raw",
        "LAS",
        "de_one",
        "en_two",
        "EN_TWO",
    ),
    *(
        "task.yaml",
        "gold/de_one.conllu",
        "texts/first.txt",
        "../task.yaml",
        "/etc/passwd",
        "x" * 300,
        "é" * 200,
    ),
)
BYTES = (
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\t",
    b"\r",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
)
MOST_REPEATS = 3000
MOST_MUTATIONS = 4
MOST_CHARACTERS = 3_000_000
"""Of repeated lines: more than the site reads, and less than the memory that a case may take."""


def mutate(text: str, chance: random.Random) -> bytes:
    for _ in range(chance.randint(0, MOST_MUTATIONS)):
        text = chance.choice(TEXT_MUTATIONS)(text, chance)
    content = text.encode()
    if chance.random() < 0.15:
        content = corrupt_bytes(content, chance)
    return content


def repeats(chance: random.Random) -> int:
    """Small numbers more often than large ones."""
    return int(MOST_REPEATS ** chance.random())


def split_lines(text: str, chance: random.Random) -> tuple[list[str], int]:
    lines = text.split("\n")
    return lines, chance.randrange(len(lines))


def delete_line(text: str, chance: random.Random) -> str:
    lines, at = split_lines(text, chance)
    return "\n".join(lines[:at] + lines[at + 1 :])


def repeat_line(text: str, chance: random.Random) -> str:
    lines, at = split_lines(text, chance)
    number = min(repeats(chance), MOST_CHARACTERS // (len(lines[at]) + 1))
    return "\n".join(lines[:at] + [lines[at]] * number + lines[at:])


def move_line(text: str, chance: random.Random) -> str:
    lines, at = split_lines(text, chance)
    line = lines.pop(at)
    lines.insert(chance.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def indent_line(text: str, chance: random.Random) -> str:
    lines, at = split_lines(text, chance)
    lines[at] = lines[at][2:] if chance.random() < 0.5 else " " * chance.randint(1, 4) + lines[at]
    return "\n".join(lines)


def replace_value(text: str, chance: random.Random) -> str:
    """The value of a field, in a line or between braces."""
    return replace_match(r"(?<=: )[^,{}\[\]\n]+", text, chance.choice(VALUES), chance)


def enlarge_value(text: str, chance: random.Random) -> str:
    value = chance.choice("xé9 \\#") * (100 * repeats(chance))
    return replace_match(r"(?<=: )[^,{}\[\]\n]+", text, value, chance)


def nest_value(text: str, chance: random.Random) -> str:
    opening, closing = chance.choice((("[", "]"), ("{a: ", "}"), ("- ", "")))
    depth = repeats(chance)
    value = opening * depth + "x" + (closing * depth if chance.random() < 0.8 else "")
    return replace_match(r"(?<=: )[^,{}\[\]\n]+", text, value, chance)


def alias_entry(text: str, chance: random.Random) -> str:
    """Anchor an entry between braces and repeat its alias."""
    return replace_match(r"\{[^{}]*\}", text, lambda old: f"&a {old}", chance) + alias_list(chance)


def alias_list(chance: random.Random) -> str:
    field = chance.choice(("groups", "test_sets", "phases", "main_metrics", "title", "x"))
    return f"\n{field}: [{', '.join(['*a'] * repeats(chance))}]\n"


def alias_itself(text: str, chance: random.Random) -> str:
    field = chance.choice(("groups", "test_sets", "phases"))
    return f"{text}\n{field}: &s [*s, {{gold: *s, inputs: *s}}]\n"


def rename_field(text: str, chance: random.Random) -> str:
    name = chance.choice(("code", "file", "gold", "titel", "x" * repeats(chance), "[a]", "? a", "<<", ""))
    # Only from the beginning of a word: a long value would be tried from each of its letters.
    return replace_match(r"(?<![a-z_])[a-z_]+(?=:)", text, name, chance)


def truncate(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(len(text) + 1)]


def replace_match(pattern: str, text: str, new: str | Callable[[str], str], chance: random.Random) -> str:
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text
    match = chance.choice(matches)
    value = new if isinstance(new, str) else new(match[0])
    return text[: match.start()] + value + text[match.end() :]


def corrupt_bytes(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    kind = chance.randrange(4)
    if kind == 0:
        return content[:at] + chance.choice(BYTES) + content[at:]
    if kind == 1:
        return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
    if kind == 2:
        return content.decode().encode(chance.choice(("utf-16", "utf-32", "utf-8-sig")))
    return content[:at] + content[at + chance.randint(1, 40) :]


TEXT_MUTATIONS: tuple[Callable[[str, random.Random], str], ...] = (
    delete_line,
    repeat_line,
    move_line,
    indent_line,
    replace_value,
    replace_value,
    replace_value,
    enlarge_value,
    nest_value,
    alias_entry,
    alias_itself,
    rename_field,
    truncate,
)

"""Files called task.yaml, small ones and large ones, that a reader could spend hundreds of megabytes on."""

from __future__ import annotations

ENTRY = "{code: a, language: b, tag: de"
LARGEST = 1024 * 1024
# A little room for what stands around the repeated part.
FULL = LARGEST - 100


def aliases(times: int, *, rest: str = "") -> str:
    """So many test sets of so many versions of gold each, written once and then named."""
    versions = f"gold: &v [&g {{version: 1, file: a{rest}}}{', *g' * times}]"
    return f"test_sets: [&s {ENTRY}, {versions}}}{', *s' * times}]"


KINDS = {
    "aliases": aliases(1500),
    "aliases of empty entries": f"test_sets: [&s {{gold: &v [&g {{}}{', *g' * 1500}]}}{', *s' * 1500}]",
    "aliases in all of the file": aliases(FULL // 8),
    "aliases of names": f"test_sets: [&s {{groups: &n [{','.join(map(str, range(5000)))}]}}{', *s' * 5000}]",
    "aliases of a long text": aliases(500, rest=f', note: " {"x" * 500_000}"'),
    "aliases of a long unknown field": f"test_sets: [&s {{{'x' * 100_000}: 1}}{', *s' * 5000}]",
    "aliases of themselves": "test_sets: &s [{gold: *s, inputs: *s}, {gold: *s}, *s]",
    "laughs": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(
        f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "a list": f"groups: [{'a,' * (FULL // 2)}]",
    "a list of nothing": f"groups: [{'~,' * (FULL // 2)}]",
    "a list of entries": f"test_sets: [{'{},' * (FULL // 3)}]",
    "entries that are none": f"test_sets: [{'a,' * (FULL // 2)}]",
    "unknown fields": "".join(f"a{number}: b\n" for number in range(FULL // 12)),
    "one field many times": "title: a\n" * (FULL // 9),
    "lists in lists": "groups: " + "[" * FULL,
    "fields in fields": "{a: " * (FULL // 4),
    "a long value": "title: " + "x" * FULL,
    "a long name": "x" * FULL + ": y",
    "comments": "#\n" * (FULL // 2),
    "anchors": "groups: [" + "".join(f"&{number} a," for number in range(FULL // 11)) + "]",
    "documents": "---\n" * (FULL // 4),
}

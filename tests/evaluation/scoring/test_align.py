"""Alignment, in a language of sketches: `a b` is two words, `ab=a+b` a range of two, `|` ends a sentence.

Each case is one line: gold, system, and the pairs as `gold word:system word`, both counted from 1.
"""

import numpy as np
import pytest

import evaluation
from tests.evaluation.reference import align as align_slowly
from tests.evaluation.reference import read as read_slowly

CASES = """
    a                   ; a                     ; 1:1
    a b c               ; a b c                 ; 1:1 2:2 3:3
    abcd                ; a b c d               ;
    abc d               ; a b c d               ; 2:4
    a bc d              ; a b c d               ; 1:1 3:4
    a b | c             ; a | b c               ; 1:1 2:2 3:3
    abc=a+b+c           ; a b c                 ; 1:1 2:2 3:3
    a b c               ; abc=a+b+c             ; 1:1 2:2 3:3
    a bc=b+c d          ; a b c d               ; 1:1 2:2 3:3 4:4
    abcd=a+b+c+d        ; ab=a+b cd=c+d         ; 1:1 2:2 3:3 4:4
    abc=a+b+c de=d+e    ; a bcd=b+c+d e         ; 1:1 2:2 3:3 4:4 5:5
    a bc=b+c d          ; a b cd                ; 1:1 2:2
    abc=a+BX+c def=d+EX+f ; ab=a+b cd=c+d ef=e+f ; 1:1 3:3 4:4 6:6
    ab=a+b cd=bc+d      ; a bc d                ; 1:1 4:3
    a bc=b+c d          ; ab=AX+BX cd=CX+a      ; 1:4
    ab=A+b              ; ab=a+B                ; 1:1 2:2
    İ=İ                 ; İ=i̇                   ; 1:1
    ΑΣ=ΑΣ               ; ΑΣ=ας                 ; 1:1
    ß=ß                 ; ß=SS                  ;
    ß=ß                 ; ß=ẞ                   ; 1:1
    ab=a+a+a            ; ab=a                  ; 1:1
    ab=a                ; ab=b+a+a              ; 1:2
    ab=a+b              ; ab=b+a                ; 2:1
    ab=x+a+y+a          ; ab=z+a                ; 4:2
    ab=a+b+a            ; ab=b+a+b              ; 2:1 3:2
    ab=a+                ; ab=a+                ; 1:1 2:2
    ab=+                ; a b                   ;
    ab=a cd=c           ; abcd=a+c              ; 1:1 2:2
    ab=a cd ef=e        ; a bcde=c+e f          ; 1:1 3:3
    a b cd=c+d          ; ab cd=c+d             ; 3:2 4:3
    a b c de=d+e        ; abc de=d+e            ; 4:2 5:3
    a b c de=c+d        ; abc de=d+c            ; 5:2
    abc de=d+e          ; a b c de=b+d          ; 2:5
    abc de=b+d          ; a b c de=x+d          ; 2:2 3:5
    ab=a+b | c          ; ab=a | c              ; 1:1 3:2
    ab=a | cd=c         ; abcd=a+c              ; 1:1 2:2
"""


def _cases() -> list[tuple[str, ...]]:
    return [tuple(part.strip() for part in line.split(";")) for line in CASES.strip().splitlines()]


def _file(sketch: str) -> bytes:
    lines: list[str] = []
    for sentence in sketch.split("|"):
        words = 0
        for token in sentence.split():
            form, is_range, inside = token.partition("=")
            forms = inside.split("+") if is_range else [form]
            if is_range:
                lines.append(f"{words + 1}-{words + len(forms)}\t{form}" + "\t_" * 8)
            for word in forms:
                words += 1
                lines.append(f"{words}\t{word}\t_\t_\t_\t_\t{int(words > 1)}\tdep\t_\t_")
        lines.append("")
    return "\n".join([*lines, ""]).encode()


@pytest.mark.parametrize(("gold", "system", "expected"), _cases())
def test_pairs(gold: str, system: str, expected: str) -> None:
    alignment = evaluation.align(evaluation.read(_file(gold)), evaluation.read(_file(system)))
    pairs = [f"{g + 1}:{s + 1}" for g, s in zip(alignment.gold, alignment.system, strict=True)]
    assert pairs == expected.split()


@pytest.mark.parametrize(("gold", "system", "expected"), _cases())
def test_the_slow_procedure_says_the_same(gold: str, system: str, expected: str) -> None:
    left, right = (read_slowly(_file(sketch), "conll18").words for sketch in (gold, system))
    pairs = [f"{left.index(g) + 1}:{right.index(s) + 1}" for g, s in align_slowly(left, right)]
    assert pairs == expected.split()


def test_pairs_are_in_order_and_one_to_one() -> None:
    sketch = " ".join(f"{chr(97 + n % 5)}b={chr(97 + n % 5)}+b c" for n in range(50))
    other = " ".join(f"{chr(97 + n % 5)}bc=c+{chr(97 + n % 5)}+b" for n in range(50))
    alignment = evaluation.align(evaluation.read(_file(sketch)), evaluation.read(_file(other)))
    assert (np.diff(alignment.gold) > 0).all()
    assert (np.diff(alignment.system) > 0).all()
    assert len(alignment.gold) > 50


def test_different_characters_are_an_incident_at_their_line() -> None:
    with pytest.raises(evaluation.InvalidFile) as caught:
        evaluation.align(evaluation.read(_file("a b | é d")), evaluation.read(_file("a b | e d")))
    (incident,) = caught.value.report.incidents
    assert (incident.id, incident.line, incident.sentence) == ("characters-differ", 4, 2)
    assert (incident.found, incident.expected) == ("“ed”", "“éd”")
    assert "character 3" in incident.message

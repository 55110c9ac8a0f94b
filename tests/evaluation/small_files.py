"""Small CoNLL-U files from a short notation."""

from evaluation import Options, compare
from evaluation.scoring.compare import Comparison


def conllu(text: str) -> bytes:
    """A file from lines `ID FORM UPOS HEAD DEPREL`, or `ID FORM` for a range; `~` stands for an empty form.

    Blank lines close sentences; comments stay as they are.
    """
    lines = []
    for line in text.strip().splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            lines.append(line)
            continue
        id, form, *rest = line.split(" ")
        form = "" if form == "~" else form
        if rest:
            upos, head, relation = rest
            columns = [id, form, form.lower() or "_", upos, "_", "_", head, relation, "_", "_"]
        else:
            columns = [id, form, *"________"]
        lines.append("\t".join(columns))
    return ("\n".join(lines) + "\n\n").encode()


def comparison(gold: str, system: str, profile: str = "conll18", **options: object) -> Comparison:
    return compare(conllu(gold), conllu(system), profile, options=Options(**options))  # type: ignore[arg-type]


def star(words: int, root: int = 1, relation: str = "dep") -> str:
    """A sentence whose words all hang on one."""
    return "\n".join(
        f"{n} w{n} X 0 root" if n == root else f"{n} w{n} X {root} {relation}" for n in range(1, words + 1)
    )

"""docs/metrics.md defines the scores in public: its examples are computed, its lists are complete."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import indent

import pytest

import evaluation
from evaluation.errors.count import count_errors
from evaluation.errors.parse import built_in, parse_classes
from evaluation.ranking.aggregate import macro_average
from evaluation.ranking.significance import p_value
from evaluation.reading.features import UNIVERSAL_FEATURES

DOCUMENT = Path(__file__).parents[2] / "docs" / "metrics.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```([a-z-]+) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A block of expectations with the two files that stand before it."""

    kind: str
    arguments: list[str]
    lines: list[str]
    line_number: int
    gold: bytes
    system: bytes


def _examples() -> Iterator[Example]:
    gold = system = b""
    for block in _BLOCK.finditer(TEXT):
        kind, arguments, body = block[1], block[2].split(), block[3]
        file = body.encode() + b"\n"
        if kind == "conllu" and arguments == ["gold"]:
            gold = file
        elif kind == "conllu":
            assert arguments == ["system"], arguments
            system = file
        else:
            line = TEXT.count("\n", 0, block.start()) + 1
            yield Example(kind, arguments, body.splitlines(), line, gold, system)


EXAMPLES = list(_examples())


def _of(kind: str) -> list[object]:
    return [pytest.param(e, id=f"line {e.line_number}") for e in EXAMPLES if e.kind == kind]


def _pairs(line: str) -> dict[str, str]:
    return dict(part.split("=") for part in line.split() if "=" in part)


def _options(profile: str, flags: list[str]) -> evaluation.Options:
    usual, values = evaluation.PROFILES[profile].options, _pairs(" ".join(flags))
    return replace(
        usual,
        punctuation=values.get("punctuation", usual.punctuation),
        subtypes="subtypes" in flags or usual.subtypes,
        label_accuracy="la" in flags,
        reader=values.get("reader", ""),
    )


def _name(line: str) -> str:
    """The metric of a line: some names have spaces."""
    return line.split(" gold=")[0] if " gold=" in line else line.rsplit(" ", 1)[0]


@pytest.mark.parametrize("example", _of("counts"))
def test_counts_in_the_document_are_what_the_evaluator_counts(example: Example) -> None:
    profile, *flags = example.arguments
    options = _options(profile, flags)
    metrics = evaluation.score(example.gold, example.system, profile, options=options).metrics
    for line in example.lines:
        name, expected = _name(line), _pairs(line)
        tally = metrics[name]
        values = {"gold": str(tally.gold), "system": str(tally.system), "correct": str(tally.correct)}
        if tally.aligned is not None:
            values["aligned"] = str(tally.aligned)
        values["f1"] = f"{100 * tally.f1:.2f}"
        assert values == expected, f"{name} near line {example.line_number}"


@pytest.mark.parametrize("example", _of("figures"))
def test_figures_in_the_document_are_what_the_evaluator_computes(example: Example) -> None:
    profile, *flags = example.arguments
    figures = evaluation.score(
        example.gold, example.system, profile, options=_options(profile, flags)
    ).figures
    presentations = evaluation.PROFILES[profile].presentations
    for line in example.lines:
        name, printed = line.rsplit(" ", 1)
        assert presentations[name].text(figures[name]) == printed, f"{name} near line {example.line_number}"


@pytest.mark.parametrize("example", _of("alignment"))
def test_alignments_in_the_document_are_what_the_aligner_finds(example: Example) -> None:
    gold, system = evaluation.read(example.gold), evaluation.read(example.system)
    spaces = evaluation.PROFILES[example.arguments[0]].spaces
    result = evaluation.align(gold, system, spaces=spaces)
    pairs = zip((result.gold + 1).tolist(), (result.system + 1).tolist(), strict=True)
    assert example.lines == [" ".join(f"{g}={s}" for g, s in pairs)]


@pytest.mark.parametrize("example", _of("average"))
def test_averages_in_the_document_are_what_the_policies_give(example: Example) -> None:
    for line in example.lines:
        result = _pairs(line)
        expected = {policy: result.pop(policy) for policy in ("zero", "exclude")}
        f1 = {name: None if value == "missing" else float(value) for name, value in result.items()}
        assert f"{macro_average(f1):.4f}" == expected["zero"]
        assert f"{macro_average(f1, policy='exclude'):.4f}" == expected["exclude"]


@pytest.mark.parametrize("example", _of("p-value"))
def test_p_values_in_the_document_follow_the_formula(example: Example) -> None:
    for line in example.lines:
        result = _pairs(line)
        assert f"{p_value(int(result['above']), int(result['replicates'])):.4f}" == result["p"]


@pytest.mark.parametrize("example", _of("errors"))
def test_errors_in_the_document_are_what_the_evaluator_counts(example: Example) -> None:
    comparison = evaluation.compare(example.gold, example.system)
    tallies = count_errors(comparison, built_in(example.arguments[0]))
    used = {name: tally.as_dict() for name, tally in tallies.items() if tally.words}
    printed = {
        name: " ".join(f"{k}={f'{v:.2f}' if isinstance(v, float) else v}" for k, v in tally.items())
        for name, tally in used.items()
    }
    assert example.lines == [f"{name}: {counts}" for name, counts in printed.items()]


@pytest.mark.parametrize("example", _of("classes"))
def test_files_of_error_classes_in_the_document_can_be_read(example: Example) -> None:
    assert len(parse_classes("\n".join(example.lines).encode()).rules) == 3


def test_every_kind_of_example_is_there_and_none_is_unknown() -> None:
    kinds = {"counts", "figures", "alignment", "average", "p-value", "errors", "classes"}
    assert {example.kind for example in EXAMPLES} == kinds


@pytest.mark.parametrize("profile", sorted(evaluation.PROFILES))
def test_every_metric_has_a_worked_example(profile: str) -> None:
    own = {"Feats", "UFeats", "AllTags", "Lemmas", "CLAS", "MLAS", "BLEX"}
    of_profile = {_name(line) for e in EXAMPLES if profile in e.arguments for line in e.lines}
    anywhere = {_name(line) for e in EXAMPLES if e.kind in ("counts", "figures") for line in e.lines}
    metrics = set(evaluation.PROFILES[profile].metrics)
    # iwpt21 takes over what conll18 defines, evalatin one of them.
    own = own if profile.startswith("conll") else set()
    # What both profiles define alike needs one example, what they define differently one in each.
    assert metrics <= anywhere
    assert metrics & own <= of_profile


def test_every_incident_is_documented_with_its_effect() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (fatal|warning) \| (.+) \|$", TEXT, re.MULTILINE)
    documented = {id: effect for id, effect, _ in rows}
    assert len(rows) == len(documented)
    assert documented == {id: "fatal" if kind.fatal else "warning" for id, kind in evaluation.KINDS.items()}


def test_the_lists_of_the_profiles_are_those_of_the_program() -> None:
    rows = {
        row[1]: (row[2], row[3])
        for row in re.finditer(r"^\| ([a-z ]+) \| (.+) \| (.+) \|$", TEXT, re.MULTILINE)
    }
    for name, column in (("conll17", 0), ("conll18", 1)):
        profile = evaluation.PROFILES[name]
        assert tuple(rows["metrics"][column].split(", ")) == profile.metrics
        listed = rows["content relations"][column].removeprefix("all but ").split(", ")
        assert set(listed) == profile.content
        assert tuple(rows["main"][column].split(":")[0].split(", ")) == profile.main
    functional = re.search(r"functional children \(relations ([a-z, \n]+)\)", TEXT)
    assert functional
    assert set(re.split(r",\s+", functional[1])) == evaluation.PROFILES["conll18"].functional


def test_the_universal_features_are_listed_completely() -> None:
    listed = re.search(r"universal features\s+\(([A-Za-z,\s]+)\)", TEXT)
    assert listed
    names = re.split(r",\s+", listed[1])
    assert set(names) == {name.decode() for name in UNIVERSAL_FEATURES}
    assert "the 21 universal features" in TEXT and len(names) == 21


def test_links_within_the_document_lead_somewhere() -> None:
    headings = {
        re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    }
    anchors = headings | set(re.findall(r'<a id="([^"]+)">', TEXT))
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors


def test_the_signature_in_the_document_has_the_form_of_real_ones() -> None:
    match = re.search(r"^    (arboretum\|.+)$", TEXT, re.MULTILINE)
    assert match
    line = b"1\tHi\t_\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    real = evaluation.score(line, line).signature
    keys = [[part.split(":")[0] for part in text.split("|")] for text in (match[1], real)]
    assert keys[0] == keys[1]


def test_the_example_of_a_profile_is_the_package_in_the_repository() -> None:
    source = (DOCUMENT.parents[1] / "examples" / "head-distance" / "head_distance.py").read_text("utf-8")
    assert indent(source.strip(), "    ") in DOCUMENT.read_text("utf-8")

"""Every problem of a task folder is reported with file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharedtask.folders.checks import read_folder
from sharedtask.folders.files import FolderOnDisk
from sharedtask.folders.problems import BadTaskFolder
from tests.sharedtask.support.building import FIRST, SECOND, TWO_ROOTS
from tests.sharedtask.support.folders import CORRECTED, TASK, UNTREED, write_folder

# What is replaced by what, the text on the line that is named, the field, and words of the message.
IN_THE_FILE = {
    "yaml": ("title: A full task", "title: [", "description:", "", "invalid YAML"),
    "unknown-field": ("contact:", "contakt:", "contakt:", "contakt", "did you mean contact?"),
    "unknown-field-in-a-set": (
        "    tag: en",
        "    xyz: en",
        "xyz: en",
        "test_sets[2].xyz",
        "known fields: code,",
    ),
    "told-twice": (
        "seed: 7",
        "seed: 7\nseed: 8",
        "seed: 8",
        "seed",
        "duplicate field, first used in line 24",
    ),
    "missing-field": ("summary: ", "note: ", "slug:", "summary", "is required"),
    "missing-field-in-a-set": (
        "    language: English\n",
        "",
        "code: en_two",
        "test_sets[2].language",
        "is required",
    ),
    "null": ("title: A full task", "title: ~", "title: ~", "title", "needs a value"),
    "too-long": ("title: A full", "title: " + "A" * 121, "title: AA", "title", "at most 120 characters"),
    "after-separators": (
        # These end a line for YAML, but not for editors.
        "slug: full\ntitle: A full",
        'summary: "a\x85 b"\nslug: full # \u2028 \u2029\ntitle: ' + "A" * 121,
        "title: AA",
        "title",
        "at most 120 characters",
    ),
    "several-lines": (
        "note: \"'quoted' # no comment\"",
        'note: "a\\nb"',
        "note:",
        "test_sets[1].note",
        "one line",
    ),
    "slug": ("slug: full", "slug: a b", "slug: a b", "slug", "letters a-z, digits"),
    "number": ("seed: 7", "seed: seven", "seed: seven", "seed", "a whole number, at least 0"),
    "too-small": ("replicates: 200", "replicates: 0", "replicates:", "replicates", "at least 1"),
    "flag": ("pseudonymous: true", "pseudonymous: maybe", "maybe", "pseudonymous", "true or false"),
    "choice": ("missing: exclude", "missing: skip", "skip", "missing", "one of zero, exclude"),
    "profile": ("profile: conll18", "profile: conll19", "conll19", "profile", "one of conll17, conll18"),
    "metric": ("[LAS, MLAS]", "[LAS, MLA]", "MLA]", "main_metrics", "conll18 has no MLA; it has Tokens"),
    "error-classes": (
        "seed: 7",
        "seed: 7\nerror_classes: |\n  classes: Core, Rest\n  Core nsubj\n  Rest: *",
        "error_classes:",
        "error_classes",
        "error_classes:2: expected “CLASS: RELATIONS”, found “Core nsubj”",
    ),
    "error-classes-elsewhere": (
        "seed: 7",
        "seed: 7\nerror_classes: own.classes",
        "error_classes:",
        "error_classes",
        "found 'own.classes', expected a file of the folder whose name ends in .classes, or one of universal",
    ),
    "error-classes-in-gold": (
        "seed: 7",
        "seed: 7\nerror_classes: gold/en_two.conllu",
        "error_classes:",
        "error_classes",
        "found 'gold/en_two.conllu', expected a file of the folder whose name ends in .classes",
    ),
    "error-classes-of-one-file": (
        "seed: 7",
        "seed: 7\nerror_classes: |\n  classes: Core, core\n  Core: nsubj\n  core: *",
        "error_classes:",
        "error_classes",
        "two runs would have the name “core”: rename an error class",
    ),
    "constraints": (
        "variant: udpipe",
        "variant: constraints",
        "variant: constraints",
        "test_sets[2].inputs[1].variant",
        "“constraints” is reserved: only experiments give constraints",
    ),
    "contact": ("trees@example.org", "the trees", "the trees", "contact", "an e-mail address"),
    "no-list": (
        'groups: [big, "yes"]\n',
        "groups: big\n",
        "groups: big",
        "test_sets[1].groups",
        "a list of names",
    ),
    "name-twice": ("[LAS, MLAS]", "[LAS, LAS]", "LAS, LAS", "main_metrics", "without duplicates"),
    "unknown-group": (
        "groups: [surprise]\n",
        "groups: [old]\n",
        "[old]",
        "test_sets[2].groups",
        "no group old",
    ),
    "language-tag": ("tag: en", "tag: e_n", "tag: e_n", "test_sets[2].tag", "a language tag such as"),
    "time": ("2026-05-01T00:00:00Z", "soon", "soon", "test_sets[2].revealed_at", "a time such as"),
    "time-without-zone": (
        "2026-05-01T00:00:00Z",
        "2026-05-01T00:00:00",
        "revealed_at",
        "test_sets[2].revealed_at",
        "with a time zone",
    ),
    "same-code": (
        "code: en_two",
        "code: DE_one",
        "code: DE_one",
        "test_sets[2].code",
        "already used in line 27",
    ),
    "same-phase": ("code: post", "code: dev", "{code: dev, kind: post", "phases[3].code", "already used"),
    "unknown-set": (
        "[de_one]}",
        "[de_two]}",
        "[de_two]",
        "phases[1].test_sets",
        "there is no test set de_two",
    ),
    "closes-early": ("2026-04-01T", "2025-04-01T", "2025-04", "phases[1].closes_at", "before it opens"),
    "open-test": (
        "title: Test, feedback: validity",
        "title: Test, feedback: scores",
        "title: Test",
        "phases[2].feedback",
        "is blind",
    ),
    "quota": (
        "runs_per_day: 2",
        "runs_per_day: 5",
        "runs_per_day: 5",
        "phases[2].runs_per_day",
        "at most runs_total (4)",
    ),
    "inputs-early": (
        "revealed_at: 2026-05-01",
        "revealed_at: 2026-05-09",
        "inputs_released_at:",
        "test_sets[2].inputs_released_at",
        "before the set is revealed",
    ),
    "leak": (
        "2026-06-01T",
        "2026-05-10T",
        "code: post",
        "phases[3].opens_at",
        "shows scores on en_two before the blind phase test",
    ),
    "no-such-file": (
        "gold/en_two.corrected.conllu",
        "gold/nowhere.conllu",
        "nowhere",
        "test_sets[2].gold[2].file",
        "not in the folder",
    ),
    "outside": (
        "gold/en_two.corrected.conllu",
        "../outside.conllu",
        "outside",
        "test_sets[2].gold[2].file",
        "not in the folder",
    ),
    "versions": (
        "{version: 2, file: gold",
        "{version: 3, file: gold",
        "version: 1, file: gold/en_two",
        "test_sets[2].gold[1].version",
        "found versions 1, 3",
    ),
    "in-force": (
        "gold_in_force: 1",
        "gold_in_force: 4",
        "gold_in_force",
        "test_sets[2].gold_in_force",
        "no version 4",
    ),
    "raw-sample": (
        "file: texts/first.txt",
        "file: texts/first.txt, sample: true",
        "first.txt",
        "test_sets[1].inputs[1].sample",
        "cannot be a sample",
    ),
    "no-entry": (
        "  - {variant: udpipe, version: 1, file: inputs/en_two.conllu}",
        "  - udpipe",
        "- udpipe",
        "test_sets[2].inputs[1]",
        "expected fields such as",
    ),
    "group-called-all": (
        'groups: [big, "yes", surprise]',
        'groups: [big, "yes", surprise, all]',
        "surprise, all",
        "groups",
        "'all' is reserved",
    ),
    "group-like-a-language": (
        'groups: [big, "yes", surprise]',
        'groups: [big, "yes", surprise, "language:de"]',
        "language:de",
        "groups",
        "reserved",
    ),
    "public-twice": (
        "    licence: CC0",
        "    public_gold: true",
        "public_gold",
        "test_sets[1].public_gold",
        "use `public` in each entry",
    ),
}

# Which file has which content, the line that is named and words of the message.
IN_THE_FILES = {
    "invalid": ("gold/en_two.conllu", TWO_ROOTS, 4, "A sentence has several roots (several-roots)"),
    "other-text": ("gold/en_two.conllu", SECOND.replace("Birds", "Frogs"), 2, "(text-differs)"),
    "raw-differs": ("gold/de_one.conllu", FIRST.replace("Hund", "Hand"), 3, "(text-differs)"),
    "no-text": ("texts/second.txt", None, 37, "texts/second.txt is not in the folder"),
    "variant-differs": (
        "inputs/en_two.conllu",
        UNTREED.replace("\tsing\t", "\tsang\t", 1),
        3,
        "characters diverge",
    ),
    "variant-short": (
        "inputs/en_two.conllu",
        UNTREED.replace("3\tloudly", "# 3\tloudly"),
        None,
        "the file ends before",
    ),
    "variant-columns": ("inputs/en_two.conllu", UNTREED.replace("2\tsing", "2 sing"), 3, "found 9 columns"),
    "variant-ids": (
        "inputs/en_two.conllu",
        UNTREED.replace("2\tsing", "b\tsing"),
        3,
        "the ID is not a number",
    ),
    "variant-long-id": (
        "inputs/en_two.conllu",
        UNTREED.replace("2\tsing", "2" * 5000 + "\tsing"),
        3,
        "the ID is not a number",
    ),
    "sample-invalid": ("samples/en_two.conllu", TWO_ROOTS, 4, "several-roots"),
}


@pytest.mark.parametrize("case", IN_THE_FILE)
def test_a_problem_in_task_yaml_is_reported_with_line_and_field(case: str, tmp_path: Path) -> None:
    old, new, on_the_line, field, words = IN_THE_FILE[case]
    assert TASK.count(old) >= 1
    changed = TASK.replace(old, new, 1)
    (tmp_path / "outside.conllu").write_text(SECOND)
    line = next(n for n, text in enumerate(changed.split("\n"), start=1) if on_the_line in text)
    with pytest.raises(BadTaskFolder) as refused:
        read_folder(FolderOnDisk(write_folder(tmp_path / "folder", {"task.yaml": changed})))
    problems = [problem for problem in refused.value.problems if problem.field == field]
    assert problems, str(refused.value)
    assert (problems[0].file, problems[0].line) == ("task.yaml", line), str(refused.value)
    assert words in problems[0].message
    place = f"task.yaml, line {line}, {field}: " if field else f"task.yaml, line {line}: "
    assert str(problems[0]).startswith(place)


@pytest.mark.parametrize("case", IN_THE_FILES)
def test_a_problem_in_a_file_is_reported_with_its_name_and_line(case: str, tmp_path: Path) -> None:
    name, content, line, words = IN_THE_FILES[case]
    with pytest.raises(BadTaskFolder) as refused:
        read_folder(FolderOnDisk(write_folder(tmp_path / "folder", {name: content})))
    (problem,) = refused.value.problems
    assert problem.file == (name if content is not None else "task.yaml")
    assert problem.line == line
    assert words in problem.message


def test_problems_about_gold_quote_nothing_of_it(tmp_path: Path) -> None:
    """They are kept in the database, which holds no gold."""
    bad = CORRECTED.replace("Birds", "Canary").replace("\tobl\t", "\tcanary\t")
    with pytest.raises(BadTaskFolder) as refused:
        read_folder(FolderOnDisk(write_folder(tmp_path, {"gold/en_two.corrected.conllu": bad})))
    assert "canary" not in str(refused.value).lower()


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    changed = (
        TASK.replace("seed: 7", "seed: x")
        .replace("missing: exclude", "missing: x")
        .replace("slug:", "snail:")
    )
    with pytest.raises(BadTaskFolder) as refused:
        read_folder(FolderOnDisk(write_folder(tmp_path, {"task.yaml": changed})))
    assert [problem.field for problem in refused.value.problems] == ["snail", "missing", "seed", "slug"]


@pytest.mark.parametrize(
    "content", ["", "- a list", "[" * 5000, "\t", "a: b: c", "x" * 1_100_000, "&a [*a, *a]"]
)
def test_an_unreadable_task_file_is_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(BadTaskFolder, match=r"task\.yaml"):
        read_folder(FolderOnDisk(write_folder(tmp_path, {"task.yaml": content})))


def test_files_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    (folder / "inputs" / "en_two.conllu").write_bytes(b"# ok\n1\t\xff\n")
    with pytest.raises(BadTaskFolder, match=r"inputs/en_two\.conllu, line 2: the file is not UTF-8"):
        read_folder(FolderOnDisk(folder))
    (folder / "texts" / "second.txt").write_bytes(b"\xff")
    with pytest.raises(BadTaskFolder, match=r"texts/second\.txt: the file is not UTF-8"):
        read_folder(FolderOnDisk(folder))
    (folder / "task.yaml").write_bytes(b"\xff")
    with pytest.raises(BadTaskFolder, match=r"task\.yaml: cannot be read"):
        read_folder(FolderOnDisk(folder))
    (folder / "task.yaml").unlink()
    with pytest.raises(BadTaskFolder, match="this file is missing"):
        read_folder(FolderOnDisk(folder))


def test_a_set_without_gold_says_so_and_needs_its_text(tmp_path: Path) -> None:
    lines = TASK.split("\n")
    gold = next(n for n, text in enumerate(lines) if text == "    gold:" and n > 40)
    short = "\n".join(lines[:gold] + lines[gold + 4 :])
    with pytest.raises(BadTaskFolder, match=r"test_sets\[2\]\.gold: gold/en_two\.conllu is missing"):
        read_folder(FolderOnDisk(write_folder(tmp_path, {"task.yaml": short, "gold/en_two.conllu": None})))
    upcoming = short.replace(
        "    inputs:\n      - {variant: udpipe", "    gold: []\n    inputs:\n      - {variant: udpipe"
    )
    with pytest.raises(BadTaskFolder, match="a test set without gold needs a raw text"):
        read_folder(FolderOnDisk(write_folder(tmp_path, {"task.yaml": upcoming, "raw/en_two.txt": None})))
    (tmp_path / "raw" / "en_two.txt").write_text("Birds sing loudly")
    assert read_folder(FolderOnDisk(tmp_path)).test_sets[1].gold == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("title: A full task", 'title: "\\ud800"', "invalid YAML: NUL characters and lone surrogates"),
        ('groups: [big, "yes", surprise]', 'groups: ["\\0"]', "invalid YAML: NUL characters"),
        ("contact:", '"\\0":', "invalid YAML: NUL characters"),
        ("2026-05-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "expected a time such as"),
    ],
)
def test_values_that_cannot_be_stored_are_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path, {"task.yaml": TASK.replace(old, new, 1)})
    with pytest.raises(BadTaskFolder, match=r"task\.yaml, line [0-9]+.*" + words):
        read_folder(FolderOnDisk(folder))

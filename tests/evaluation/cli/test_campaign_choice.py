"""A campaign over some of the systems and test sets in its folders, as a data package runs it."""

from pathlib import Path

import pytest

from tests.evaluation.cli.test_campaign import Run, as_json, folders, run

__all__ = ["folders", "run"]


def test_only_the_chosen_systems_take_part(run: Run, folders: Path) -> None:
    (folders / "chosen.txt").write_text("Elm\nAsh\n")
    result = as_json(run, "--only", str(folders / "chosen.txt"), "--replicates=100")
    assert [(system["name"], system["rank"]) for system in result["systems"]] == [("Ash", 1), ("Elm", 2)]


def test_only_the_chosen_test_sets_count(run: Run, folders: Path) -> None:
    (folders / "sets.tsv").write_text("treebank\tgroup\tlanguage\nkk\tsmall\tkaz\n")
    result = as_json(run, "--sets", str(folders / "sets.tsv"), "--replicates=100")
    assert result["test_sets"] == [{"code": "kk", "language": "kaz", "groups": ["small"]}]
    assert result["systems"][0]["macro"]["all"] == result["systems"][0]["macro"]["small"]
    assert "|sets:1-" in result["signature"]


def test_several_metrics_give_a_ranking_each(run: Run) -> None:
    result = as_json(run, "--metric=UAS", "--metric=LAS", "--metric=UAS", "--replicates=100")
    assert "|metric:UAS+LAS|" in result["signature"]
    assert list(result["systems"][0]["rankings"]) == ["UAS", "LAS"]


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--only", "Ash\nFir\n", "no folder found for Fir"),
        ("--only", "\n", "no folder found for any system"),
        ("--sets", "zh\tbig\n", "no gold file found for zh"),
        ("--sets", "treebank\tgroup\n", "no gold file found for any test set"),
    ],
    ids=["unknown-system", "no-system", "unknown-set", "no-set"],
)
def test_choosing_unknown_systems_or_sets_is_refused(
    run: Run, folders: Path, option: str, text: str, message: str
) -> None:
    (folders / "list").write_text(text)
    code, _, err = run(option, str(folders / "list"))
    assert code == 2 and message in err

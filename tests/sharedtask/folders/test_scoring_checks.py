"""What task.yaml says about scoring is checked against what is installed."""

from __future__ import annotations

import pytest

from sharedtask.folders import scoring_checks
from sharedtask.folders.checks import read_folder
from sharedtask.folders.problems import BadTaskFolder
from tests.sharedtask.support.induction import induction_files, induction_values

OPTIMAL = "1-1 (optimal)"


def test_a_metric_without_its_package_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    files = induction_files(induction_values(extra_metrics=[OPTIMAL]))
    read_folder(files)
    monkeypatch.setattr(scoring_checks, "find_spec", lambda name: None)
    with pytest.raises(BadTaskFolder) as refused:
        read_folder(files)
    (problem,) = refused.value.problems
    assert problem.field == "extra_metrics" and problem.line is not None
    assert problem.message == (
        "1-1 (optimal) needs the package scipy, which the administrator of this server can install"
    )

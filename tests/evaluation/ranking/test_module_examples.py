"""The examples in the docstrings of the modules of `ranking` are correct."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["aggregate", "analyses", "combine", "philox", "significance"])
def test_examples_of_modules(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"evaluation.ranking.{name}"))
    assert done.attempted > 0
    assert done.failed == 0

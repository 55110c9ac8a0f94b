"""The examples in the first lines of the modules that make standings are right."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["aggregate", "analyses", "combine", "philox", "significance"])
def test_examples_of_modules(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"evaluation.ranking.{name}"))
    assert done.attempted > 0
    assert done.failed == 0

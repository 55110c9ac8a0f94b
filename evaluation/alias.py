"""One name for the evaluator: `arboretum` gives the same objects wherever it runs.

The wheel is imported as `arboretum`. On the site the same package has the name of its folder; there, packages
of third parties that import from `arboretum` get these modules, not copies.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

NAME = "arboretum"
_OWN = __name__.split(".", 1)[0]


class _Alias(MetaPathFinder, Loader):
    """Finds `arboretum` and the modules below it under their own names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != NAME and not fullname.startswith(f"{NAME}."):
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(_OWN + spec.name.removeprefix(NAME))
        # The import system is about to replace it.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def alias_package() -> None:
    """Make `arboretum` a name of this package, if it has another one."""
    if _OWN != NAME and not any(isinstance(finder, _Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Alias())

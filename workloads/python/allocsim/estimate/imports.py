"""Changes to modules of libraries, made when the program imports them, so that no program imports what it does not need."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from typing import Any, Callable


def when_imported(name: str, change: Callable[[Any], None]) -> None:
    """Calls a function with the module of that name as soon as it is imported, or now if it already is."""
    if name in sys.modules:
        change(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, change))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, change: Callable[[Any], None]) -> None:
        self._name = name
        self._change = change

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is None or found.loader is None:
            return found
        run = found.loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            self._change(module)

        found.loader.exec_module = exec_module  # type: ignore[method-assign]
        return found

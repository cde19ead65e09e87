"""The remedies that there are: those of this package, a file each, and those of the user's files."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from types import ModuleType
from typing import Iterator, Sequence

from . import remedies as _package
from .remedy import Remedy


class BadRemedy(Exception):
    """A file of the user's has no remedy; the message says so."""


def remedies(files: Sequence[str] = ()) -> dict[str, Remedy]:
    """The remedies by their names.

    Args:
        files: with remedies of the user's.

    Raises:
        BadRemedy: a file cannot be loaded, or has none.
    """
    found = {each.name: each for name in sorted(each.name for each in pkgutil.iter_modules(_package.__path__)) for each in _of(importlib.import_module(f"{_package.__name__}.{name}"))}
    for number, file in enumerate(files):
        spec = importlib.util.spec_from_file_location(f"allocsim_remedy_{number}", file)
        if spec is None or spec.loader is None:
            raise BadRemedy(f"{file} is not a Python file; --remedy takes one that defines a subclass of Remedy")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as problem:
            raise BadRemedy(f"{file} cannot be loaded: {type(problem).__name__}: {problem}") from None
        own = list(_of(module))
        if not own:
            raise BadRemedy(f"{file} defines no subclass of allocsim.advise.Remedy with a name; see 'A remedy of your own' in ADVISE.md")
        found.update({each.name: each for each in own})
    return found


def _of(module: ModuleType) -> Iterator[Remedy]:
    for _, owner in inspect.getmembers(module, inspect.isclass):
        if issubclass(owner, Remedy) and owner.name and owner.__module__ == module.__name__:
            yield owner()

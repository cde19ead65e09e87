"""Calls a function of a module or script a number of times: what ``allocsim.estimate`` runs."""

from __future__ import annotations

import functools
import importlib
import os
import runpy
import sys


def main(source: str, name: str, count: int) -> None:
    """Finds the function by its name, and calls it."""
    if source.endswith(".py") and os.path.isfile(source):
        sys.path.insert(0, os.path.dirname(source))
        sys.argv = [source]
        names = runpy.run_path(source, run_name="__mp_main__")
        first, *rest = name.split(".")
        step = functools.reduce(getattr, rest, names[first])
    else:
        step = functools.reduce(getattr, name.split("."), importlib.import_module(source))
    for _ in range(count):
        step()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

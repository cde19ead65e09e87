"""What scripts share that hold a rule of the mock CUDA driver against what was measured on a GPU."""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from typing import Callable

SOURCES = Path(__file__).resolve().parent.parent.parent / "workloads/python/allocsim/estimate"


def compiled(name: str, folder: str) -> ctypes.CDLL:
    """The rules of a source of the mock, as a library that is built in a folder.

    Raises:
        FileNotFoundError: there is no C compiler.
    """
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise FileNotFoundError("there is no C compiler")
    library = os.path.join(folder, f"{name}.so")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", str(SOURCES / f"{name}.c"), "-o", library], check=True)
    return ctypes.CDLL(library)


def command(description: str | None, measure: Callable[[Path], None], check: Callable[[], None]) -> None:
    """The command line of a script: a folder to measure into, or ``--check``."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        check()
    elif options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        measure(options.folder)
    else:
        parser.error("a folder or --check")

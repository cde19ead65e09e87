"""What a mistyped path may have meant."""

from __future__ import annotations

import difflib
import os
from typing import Iterator

#: A folder with more entries would take long to look through.
_MAX_ENTRIES = 10_000

#: How similar two names must be, from 0 to 1, as difflib counts.
_CUTOFF = 0.7


def similar_path(path: str | os.PathLike[str]) -> str:
    """The remedy for a path that does not exist: the file or folder that is meant, as it was typed, else to check the path.

    Each folder of the path may be mistyped, too.
    """
    typed = os.fspath(path)
    drive, rest = os.path.splitdrive(typed)
    folder = drive + os.sep if rest.startswith(("/", os.sep)) else drive
    *folders, last = [part for part in os.path.normpath(rest).split(os.sep) if part] or [""]
    for part in folders:
        if not os.path.isdir(os.path.join(folder, part)):
            part = _similar(folder, part, True)
        if not part:
            return "check the path"
        folder = os.path.join(folder, part)
    found = last if os.path.exists(os.path.join(folder, last)) else _similar(folder, last, False)
    return f"did you mean '{os.path.join(folder, found)}'?" if found else "check the path"


def missing_folder(folder: str) -> str:
    """What is said where the folder of an output does not exist."""
    remedy = similar_path(folder)
    return f"the folder {folder} does not exist; {remedy if remedy.endswith('?') else 'create it first'}"


def _similar(folder: str, typed: str, is_folder: bool) -> str:
    """The name in a folder that is most like one, with a similar extension; empty where none is."""
    stem, extension = _split(typed)
    best: tuple[float, str] = (0, "")
    for name in sorted(_entries(folder)):
        other_stem, other_extension = _split(name)
        if is_folder and not os.path.isdir(os.path.join(folder, name)):
            continue
        if not (other_extension.startswith(extension) or extension.startswith(other_extension) or _ratio(extension, other_extension) >= _CUTOFF):
            continue
        ratio = _ratio(stem, other_stem)
        if ratio >= _CUTOFF and (ratio + _ratio(extension, other_extension)) > best[0]:
            best = (ratio + _ratio(extension, other_extension), name)
    return best[1]


def _split(name: str) -> tuple[str, str]:
    """A name up to its first dot, and the rest; in small letters."""
    small = name.lower()
    dot = small.find(".", 1)
    return (small, "") if dot < 0 else (small[:dot], small[dot:])


def _ratio(one: str, other: str) -> float:
    return 1.0 if one == other else difflib.SequenceMatcher(None, one, other).ratio()


def _entries(folder: str) -> Iterator[str]:
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return iter(())
    return iter(names if len(names) <= _MAX_ENTRIES else ())

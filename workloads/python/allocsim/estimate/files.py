"""The user's files while a program is estimated: what it writes, renames and deletes goes to a folder of the run, see overlay.h."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import struct
import subprocess
import sys
from typing import Any, Callable, Iterator

from ..recorder.files import whole
from ..temporary import temporary_base
from ..visible import from_here, visible
from .landlock import writing_only
from .standin import FILES_LIBRARY
from .supervisor import Supervisor

VARIABLE = "ALLOCSIM_ESTIMATE_FILES"

#: Files of the program that an answer names.
MAX_EXAMPLES = 5

#: With less room than this, the disk counts as full.
_MIN_ROOM_BYTES = 16 << 20

#: Counters that all processes share: changes, processes that loaded the library, whether the disk was full; see ``Shared`` in overlay.h.
_INDEX = struct.Struct("=QQQ")


class FilesProblem(Exception):
    """The user's files cannot be kept from the program's changes; the message says why, and what to do."""


def scratch_base() -> str:
    """The folder for runs: that for temporary files, or /var/tmp where nobody chose one and it has more room (/tmp may be memory)."""
    usual = temporary_base()
    if any(name in os.environ for name in ("TMPDIR", "TEMP", "TMP")) or not os.access("/var/tmp", os.W_OK | os.X_OK):
        return usual
    return max((usual, "/var/tmp"), key=lambda each: shutil.disk_usage(each).free)


class Files:
    """What a program does to files during a run.

    Args:
        folder: of the run, which exists.
        library: the folder of the libraries that ``standin.py`` builds.
        allow_writes: the program writes to the user's files; nothing is followed.
    """

    def __init__(self, folder: str, library: str, allow_writes: bool) -> None:
        self._given = folder
        self._run = os.path.realpath(folder)
        self._folder = os.path.join(self._run, "files")
        self._library = os.path.join(library, FILES_LIBRARY)
        self._allow_writes = allow_writes
        if allow_writes:
            return
        for name in ("files", "files/upper", "files/gone", "tmp"):
            os.mkdir(os.path.join(self._run, name), 0o700)
        with open(os.path.join(self._folder, "index"), "wb") as stream:
            stream.write(_INDEX.pack(0, 0, 0))

    def environment(self, environment: dict[str, str]) -> dict[str, str]:
        """The environment of the program, with what keeps its changes apart.

        Raises:
            FilesProblem: the library cannot be loaded here.
        """
        if self._allow_writes:
            return environment
        inherited = environment.get("LD_PRELOAD")
        changed = environment | {
            VARIABLE: self._folder, "TMPDIR": os.path.join(self._run, "tmp"),
            "LD_PRELOAD": self._library + (os.pathsep + inherited if inherited else ""),
        }
        # Whether it can be loaded is better learned before the program runs than after.
        tried = subprocess.run(
            [sys.executable, "-I", "-S", "-c", "pass"], env=os.environ | {name: changed[name] for name in (VARIABLE, "LD_PRELOAD")}, capture_output=True, text=True, check=False,
        )
        if self._index()[1] == 0:
            reason = next(iter(tried.stderr.splitlines()), "without a reason")
            raise FilesProblem(f"your files cannot be protected: {self._library} cannot be preloaded ({reason}); --allow-writes runs the program unprotected")
        return changed

    @contextlib.contextmanager
    def followed(self) -> Iterator[Callable[[], None] | None]:
        """While the program runs: the function that its process calls first, so that calls that evade the library are followed or refused."""
        if self._allow_writes:
            yield None
            return
        restrict = writing_only([each for each in (self._run, "/dev", "/proc") if os.path.isdir(each)])
        supervisor = Supervisor(self._library, self._folder, self._given)

        def first() -> None:
            if restrict is not None:
                restrict()
            supervisor.begin()

        try:
            yield first
        finally:
            supervisor.close()

    def is_full(self) -> bool:
        """Whether the disk of the run's folder was full."""
        return shutil.disk_usage(self._run).free < _MIN_ROOM_BYTES or (not self._allow_writes and self._index()[2] > 0)

    def writes(self) -> dict[str, Any] | None:
        """The program's changes, as in the answer's JSON; None if it was allowed to write.

        Files below its folder for temporary files and Python's caches of bytecode do not count.
        """
        if self._allow_writes:
            return None
        upper, gone = (os.path.join(self._folder, name) for name in ("upper", "gone"))
        written: list[tuple[int, str]] = []
        for place, name in _files_below(upper):
            path = place[len(upper) :]
            found = os.lstat(place)
            if "__pycache__" not in path.split(os.sep) and not name.startswith(".allocsim-copy-") and _differs(found, path):
                written.append((found.st_size if stat.S_ISREG(found.st_mode) else 0, path))
        renamed = [(one, two) for one, two in self._renamed() if os.path.lexists(upper + two)]
        sources = {one for one, _ in renamed}
        deleted = [path for place, _ in _files_below(gone) for path in self._deleted(place[len(gone) :], sources)]
        written.sort(key=lambda each: (-each[0], each[1]))
        examples = [path for _, path in written] or deleted or [one for one, _ in renamed]
        return {
            "dropped": True, "files": len(written), "bytes": sum(size for size, _ in written), "deleted": len(deleted), "renamed": len(renamed),
            "examples": examples[:MAX_EXAMPLES],
        }

    def _deleted(self, hidden: str, sources: set[str]) -> list[str]:
        """The user's files at or below a path that is hidden, which have no successor and were not renamed."""
        if hidden in sources:
            return []
        below = [path for path, _ in _files_below(hidden)] if os.path.isdir(hidden) and not os.path.islink(hidden) else [hidden]
        upper = os.path.join(self._folder, "upper")
        return [each for each in below if not os.path.lexists(upper + each) and "__pycache__" not in each.split(os.sep)]

    def _index(self) -> tuple[int, ...]:
        with open(os.path.join(self._folder, "index"), "rb") as stream:
            return _INDEX.unpack(stream.read(_INDEX.size))

    def _renamed(self) -> list[tuple[str, str]]:
        try:
            with open(os.path.join(self._folder, "renamed"), "rb") as stream:
                paths = [os.fsdecode(each) for each in stream.read().split(b"\0")[:-1]]
        except FileNotFoundError:
            return []
        return list(zip(paths[::2], paths[1::2]))


def writes_sentence(writes: dict[str, Any] | None, size_text: Callable[[float], str]) -> str | None:
    """What an answer says about the changes that were dropped; None where there were none."""
    if writes is None or not (writes["files"] or writes["deleted"] or writes["renamed"]):
        return None
    names = [_short(each) for each in writes["examples"]]
    more = ", ..." if max(writes["files"], len(names)) > len(names) else ""
    parts = []
    if writes["files"]:
        parts.append(f"wrote {_counted(writes['files'])} ({_size(writes['bytes'], size_text)}: {', '.join(names)}{more})")
    if writes["deleted"]:
        parts.append(f"deleted {_counted(writes['deleted'])}")
    if writes["renamed"]:
        parts.append(f"renamed {_counted(writes['renamed'])}")
    done = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return visible(f"The program {done}; the estimate dropped these changes, and your files are as they were. Use --allow-writes to keep such files.")


def deliver(paths: list[str], folder: str, notes: str) -> list[str]:
    """Moves files to a folder, each atomically; returns their new paths.

    Args:
        notes: see :func:`~..recorder.files.whole`.

    Raises:
        OSError: one cannot be written.
    """
    return [_deliver(each, os.path.join(folder, os.path.basename(each)), notes) for each in paths]


def _deliver(path: str, to: str, notes: str) -> str:
    with open(path, "rb") as stream, whole(to, notes) as copy:
        shutil.copyfileobj(stream, copy)
    return to


def _files_below(folder: str) -> list[tuple[str, str]]:
    """Path and name of everything below a folder that is not a folder; links count as files."""
    found = []
    for place, folders, names in os.walk(folder):
        linked = [each for each in folders if os.path.islink(os.path.join(place, each))]
        found += [(os.path.join(place, name), name) for name in sorted([*names, *linked])]
    return sorted(found)


def _differs(now: os.stat_result, path: str) -> bool:
    """Whether a file of the program differs from the user's; one that was only opened for writing is a copy with the same time."""
    try:
        was = os.lstat(path)
    except OSError:
        return True
    return (now.st_mode, now.st_size, now.st_mtime_ns) != (was.st_mode, was.st_size, was.st_mtime_ns)


def _short(path: str) -> str:
    relative = from_here(path)
    return path if relative.startswith("..") else relative


def _size(size: int, size_text: Callable[[float], str]) -> str:
    return size_text(size) if size >= 1 << 20 else f"{size / 1024:.1f} KiB"


def _counted(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"

"""Writes files whole: without a name or under another one, then in their place."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import pickle
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import Any, BinaryIO, Callable, Iterator, Mapping, NamedTuple

from ..temporary import named, partial, temporary_base, temporary_folder

#: How much of a file's end tells it from others. A recording ends with what was counted, and when.
_END_BYTES = 1 << 16


def write_snapshot(
    path: str, snapshot: Mapping[str, Any], notes: str | None = None, ready: Callable[[Mark], None] = lambda mark: None
) -> int:
    """Writes a snapshot as a pickle, compressed where the name ends in ``.gz``; returns its bytes.

    Args:
        path: the file, which appears whole or not at all.
        snapshot: what is written.
        notes: see :func:`whole`.
        ready: is called with the mark of the file before it gets its place.
    """
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with whole(path, notes) as raw:
        if path.endswith(".gz"):
            with gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed:
                pickle.dump(snapshot, packed, protocol=4)
        else:
            pickle.dump(snapshot, raw, protocol=4)
        mark = Mark.of(raw)
        ready(mark)
    return mark.size_bytes


@contextlib.contextmanager
def whole(path: str, notes: str | None = None) -> Iterator[BinaryIO]:
    """A stream to write a file with, which gets its place at the end of the block, whole, or not at all where the block fails.

    A device, a pipe or an open stream such as ``/dev/stdout`` keeps its place and gets what was written; a link goes on leading to its file.

    Args:
        path: the file.
        notes: a temporary folder that removes what a killed process leaves of the file beside it; None where there is none.
    """
    path = os.path.abspath(path)
    with named(path), _streamed(path) if _is_stream(path) else _replaced(os.path.realpath(path), notes) as raw:
        yield raw


@contextlib.contextmanager
def _streamed(path: str) -> Iterator[BinaryIO]:
    with tempfile.TemporaryFile(dir=temporary_base()) as raw:
        yield raw
        raw.seek(0)
        with open(path, "wb") as stream:
            shutil.copyfileobj(raw, stream)


@contextlib.contextmanager
def _replaced(path: str, notes: str | None) -> Iterator[BinaryIO]:
    beside = part_of(path)
    with partial(beside, notes), _nameless(os.path.dirname(path), beside) as raw:
        yield raw
        raw.flush()
        os.fsync(raw.fileno())
        if os.fstat(raw.fileno()).st_nlink == 0:
            # With a folder given, though it is not used, Python asks the system to follow the link.
            os.link(f"/proc/self/fd/{raw.fileno()}", beside, src_dir_fd=raw.fileno(), follow_symlinks=True)
        os.replace(beside, path)


def cannot_be_read(path: str) -> bool:
    """Whether a path names a device or a pipe, from which a recording cannot be read again."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _is_stream(path: str) -> bool:
    """Whether a path names something that is written to and not replaced."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode) or path.startswith(("/dev/", "/proc/"))
    except OSError:
        return False


class Mark(NamedTuple):
    """What tells a recording from others, on every file system and after it was renamed or copied.

    Attributes:
        size_bytes: its size.
        digest: of its end.
    """

    size_bytes: int
    digest: str

    @staticmethod
    def of(stream: BinaryIO) -> Mark:
        """The mark of a file as it is now; the stream is left at its end."""
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - _END_BYTES))
        return Mark(size, hashlib.sha256(stream.read(_END_BYTES)).hexdigest())

    @staticmethod
    def of_file(path: str) -> Mark | None:
        """The mark of a file, None where there is none."""
        try:
            with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as stream:
                return Mark.of(stream) if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else None
        except OSError:
            return None


def _nameless(folder: str, beside: str) -> BinaryIO:
    """A new file that is gone with its process until it gets a name, else one of the given name."""
    mode = 0o666
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        try:
            return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, mode), "w+b")
        except OSError:
            pass
    return os.fdopen(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), mode), "w+b")


def part_of(path: str) -> str:
    """A name beside a file that no other process uses."""
    return f"{path}.{os.getpid()}-{time.monotonic_ns():x}.part"


def remove(path: str) -> None:
    """Removes a file that may be gone already."""
    try:
        os.unlink(path)
    except OSError:
        pass


def rank_path(path: str, mark: str) -> str:
    """``run.pickle`` and ``rank0`` give ``run.rank0.pickle``."""
    path = os.fspath(path)
    for ending in (".pickle.gz", ".pickle"):
        if path.endswith(ending):
            return f"{path[: -len(ending)]}.{mark}{ending}" if mark else path
    return f"{path}.{mark}.pickle" if mark else path + ".pickle"


class Written(NamedTuple):
    """A file that a process of a run has written.

    Attributes:
        path: the file.
        reason: why it was written, such as ``end`` or ``flush``.
        is_complete: whether the recording ended with it.
        at_seconds: when it was written, in seconds since the epoch.
        mark: what tells the file from others.
    """

    path: str
    reason: str
    is_complete: bool
    at_seconds: float
    mark: Mark


class RunFolder:
    """The folder in which the processes of a run note the files that they write.

    The command makes it, under a name that nobody guesses and for its own user alone, so that no other file is
    taken for one of the run.

    Args:
        path: the folder.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    @staticmethod
    def made(base: str | None = None, has_processes: bool = False) -> contextlib.AbstractContextManager[str]:
        """A new one, in a folder or where temporary files go, which is gone at the end of a ``with`` block, see :func:`~..temporary.temporary_folder`."""
        return temporary_folder(base, has_processes)

    def mark(self, state: str, is_set: bool = True) -> None:
        """Notes something of this process, or that it does not hold any more: "begun" (it is followed), "recording", "written" (a file), "failed" (to write one), "untold" (files could not be noted)."""
        with contextlib.suppress(OSError):
            if is_set:
                (self.path / f"{os.getpid()}.{state}").touch()
            else:
                (self.path / f"{os.getpid()}.{state}").unlink()

    def has(self, state: str) -> bool:
        """Whether that was noted of a process."""
        return any(self.path.glob(f"*.{state}"))

    def note(self, path: str, files: list[Written]) -> None:
        """Notes what this process writes; what it noted before is replaced.

        Args:
            path: the file.
            files: what the file may be from now on, the latest first. The one that has its place is known by its mark.
        """
        name = f"{os.getpid()}-{os.path.basename(path)}"[:200]
        beside = self.path / f".{name}"
        with named(str(beside)):
            beside.write_text(json.dumps({"path": path, "files": files}), encoding="utf-8")
            os.replace(beside, self.path / f"{name}.noted")

    def files(self) -> list[Written]:
        """The files that are there, by name."""
        found = {}
        for note in sorted(self.path.glob("*.noted")):
            status = note.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                continue
            # The program can write here, too.
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
                content = json.loads(note.read_text(encoding="utf-8"))
                mark = Mark.of_file(content["path"])
                for path, reason, is_complete, at_seconds, noted_mark in content["files"]:
                    if mark is not None and mark == Mark(*noted_mark):
                        found[os.fspath(path)] = Written(path, str(reason), bool(is_complete), float(at_seconds), mark)
                        break
        return [found[path] for path in sorted(found)]

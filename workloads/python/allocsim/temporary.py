"""Folders for temporary files that are gone with the process that made them, however it ends."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from typing import Iterator

#: Errors of writing where there is no room.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

#: Waits until its input ends, as with the process that holds the other end, and removes everything whose name begins as told,
#: after the files that are noted there (see ``partial``). If it is told, it first kills what has the name in its environment.
#: Who still writes there may need to be outrun; a folder may have lost the permission to be emptied.
_KEEPER = """
read -r _
if [ "$1" = kill ]; then
    for each in $(grep -Fls -- "${0##*/}" /proc/[0-9]*/environ); do
        each=${each#/proc/}
        kill -9 "${each%/environ}"
    done
fi
for note in "$0"*/*.part; do
    part=$(readlink "$note") && [ "${part%.part}" != "$part" ] && rm -f -- "$part"
done
for attempt in 1 2 3 4 5; do
    set -- "$0"*
    [ -e "$1" ] || [ -L "$1" ] || exit 0
    rm -rf -- "$@" || { chmod -R u+rwx -- "$@"; rm -rf -- "$@" && exit 0; sleep 0.2; }
done
"""

#: Signals that end a process.
_ENDING = {getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2") if hasattr(signal, name)}

#: The sockets of those who remove folders, see ``hold``.
_keepers: dict[str, socket.socket] = {}


@contextlib.contextmanager
def temporary_folder(base: str | None = None, has_processes: bool = False) -> Iterator[str]:
    """A new folder of this user alone, under a name that nobody guesses, which is gone after the block, with the files that are noted there.

    It is gone too when this process is killed within the block, where the system has a shell (``sh``).

    Args:
        base: the folder to make it in, else where temporary files go.
        has_processes: processes that have its name in their environment are of no use without it, and are killed with it.
    """
    base = os.path.abspath(base or temporary_base())
    prefix = f"allocsim-{secrets.token_hex(8)}-"
    folder = ""
    try:
        with _kept(os.path.join(base, prefix), has_processes) as keeper:
            folder = tempfile.mkdtemp(prefix=prefix, dir=base)
            if keeper is not None:
                _keepers[folder] = keeper
            with named(folder, is_alone=False):
                yield folder
    finally:
        _keepers.pop(folder, None)
        # Where the system has no shell, or something has ended it.
        if os.path.isdir(folder):
            shutil.rmtree(folder, ignore_errors=True)


def hold(folder: str, file: int) -> None:
    """Keeps an open file open until a temporary folder and its processes are gone, even where this process is killed before."""
    if folder in _keepers:
        # A file that was sent stays open until it is received, which the keeper never does.
        with contextlib.suppress(OSError):
            socket.send_fds(_keepers[folder], [b"+"], [file])


@contextlib.contextmanager
def named(path: str, is_alone: bool = True) -> Iterator[None]:
    """Errors of the system within the block are of this file for whoever reads them, whatever stands for it meanwhile.

    Args:
        path: the file.
        is_alone: no other file is used within the block. Else only those are meant that say that nothing more can be written, and name no file.
    """
    try:
        yield
    except OSError as problem:
        if is_alone or (problem.filename is None and problem.errno in NO_ROOM):
            problem.filename, problem.filename2 = path, None
        raise


@contextlib.contextmanager
def partial(file: str, folder: str | None) -> Iterator[None]:
    """Removes a file that may be there at the end of the block.

    Args:
        file: its name ends in ``.part``.
        folder: a temporary one, which removes the file where this process is killed within the block; None where nobody does.
    """
    note = None if folder is None else os.path.join(folder, os.path.basename(file))
    if note is not None:
        # Whoever made the folder may have been killed.
        with contextlib.suppress(OSError):
            os.symlink(file, note)
    try:
        yield
    finally:
        for each in (file, note) if note is not None else (file,):
            with contextlib.suppress(OSError):
                os.unlink(each)


def temporary_base() -> str:
    """Where temporary files go. Python's own search writes a file to learn it, which a killed process leaves.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    for each in (*filter(None, named), *(("/tmp", "/var/tmp", "/usr/tmp") if os.name == "posix" else (tempfile.gettempdir(),))):
        if os.path.isdir(each) and os.access(each, os.W_OK | os.X_OK):
            return str(os.path.abspath(each))
    raise FileNotFoundError(errno.ENOENT, "no folder for temporary files is writable; set TMPDIR to one")


@contextlib.contextmanager
def _kept(prefix: str, has_processes: bool) -> Iterator[socket.socket | None]:
    """Has another process remove what begins with a path when this block or this process ends; a socket that it holds the other end of, None where the system has no shell."""
    if not os.path.exists("/bin/sh"):
        yield None
        return
    ours, theirs = socket.socketpair()
    # No signal is meant for it: neither one that comes while it is started, nor one for the group of this process.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, prefix, *(["kill"] if has_processes else [])], stdin=subprocess.PIPE, stdout=theirs.fileno(), stderr=subprocess.DEVNULL,
            start_new_session=True, cwd="/", env={"PATH": os.defpath},
        )  # fmt: skip
    finally:
        theirs.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield ours
    finally:
        # A forked child of this process may hold the pipe, too. So a line ends the keeper, and not only the end of its input.
        with contextlib.suppress(OSError):
            os.write(keeper.stdin.fileno(), b"\n")  # type: ignore[union-attr]
        with contextlib.suppress(OSError):
            keeper.stdin.close()  # type: ignore[union-attr]
        keeper.wait()
        ours.close()

"""Follows file calls that evade the library of ``files.py``, see supervisor.c: a thread of this process answers them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import socket
import threading

from ..temporary import hold

#: Older kernels stop calls too, but cannot let them go on (before 5.5) or take an opened file (before 5.9).
MIN_KERNEL = (5, 9)


def is_possible() -> bool:
    """Whether the kernel is new enough."""
    found = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return found is not None and (int(found[1]), int(found[2])) >= MIN_KERNEL


class Supervisor:
    """Answers the calls of one program and its children.

    Args:
        library: the file of the library.
        folder: of the view, see overlay.h.
        run: the temporary folder of the run.
    """

    def __init__(self, library: str, folder: str, run: str) -> None:
        self._library = ctypes.CDLL(library, use_errno=True)
        self._folder = folder
        self._run = run
        self._possible = is_possible()
        self._ours, self._theirs = socket.socketpair()
        self._ended, self._end = os.pipe()
        self._thread = threading.Thread(target=self._answer, daemon=True)
        self._thread.start()

    def begin(self) -> None:
        """For the program's process, before it becomes the program. Where the kernel has no such filter, nothing happens."""
        listener = int(self._library.overlay_listen()) if self._possible else -1
        if listener >= 0:
            socket.send_fds(self._theirs, [b"+"], [listener])
            os.close(listener)
        self._theirs.close()

    def close(self) -> None:
        """The program has ended."""
        self._theirs.close()
        os.close(self._end)
        self._thread.join()
        self._ours.close()
        os.close(self._ended)

    def _answer(self) -> None:
        with contextlib.suppress(OSError):
            _, files, _, _ = socket.recv_fds(self._ours, 1, 1)
            for listener in files:
                # Calls that nobody answers would fail in a program that is about to be killed with this process.
                hold(self._run, listener)
                self._library.overlay_supervise(listener, self._ended, os.fsencode(self._folder))
                os.close(listener)

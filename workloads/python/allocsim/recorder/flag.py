"""A flag that others wait for, and that a signal handler may set."""

from __future__ import annotations

import contextlib
import threading


class Flag:
    """As ``threading.Event``, which holds a lock while it is set and waited for, on which a handler that interrupts it would wait forever."""

    def __init__(self) -> None:
        self._is_set = False
        self._free = threading.Lock()
        self._free.acquire()

    def is_set(self) -> bool:
        """Whether it was set."""
        return self._is_set

    def set(self) -> None:
        """Sets it, for good."""
        self._is_set = True
        with contextlib.suppress(RuntimeError):
            self._free.release()

    def wait(self, seconds: float) -> bool:
        """Waits until it is set, for so long at most; returns whether it is."""
        if not self._is_set and self._free.acquire(timeout=seconds):
            self.set()  # Others wait, too.
        return self._is_set

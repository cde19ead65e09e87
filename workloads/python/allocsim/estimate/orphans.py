"""Ends the program when the command that estimates it is killed, because its files are dropped with the command."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Callable

#: Number of the request in Linux' include/uapi/linux/prctl.h (6.18): which signal comes when the parent ends.
_SET_PARENT_DEATH_SIGNAL = 1


def ended_with_parent(first: Callable[[], None] | None) -> Callable[[], None]:
    """The function that a child process calls before it becomes the program, so that it is killed when this process is.

    Args:
        first: is called before, where there is one.
    """
    parent = os.getpid()
    control = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def begin() -> None:
        if control is not None:
            control(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)
        if first is not None:
            first()

    return begin

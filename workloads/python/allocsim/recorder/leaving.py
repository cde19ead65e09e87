"""Functions that run when Python ends, and that Ctrl-C does not cut short."""

from __future__ import annotations

import atexit
import contextlib
import signal
import threading
import time
from types import FrameType
from typing import Any, Callable, Iterator

#: A Ctrl-C that comes so soon after another is the same one, which came on two ways.
SAME_SECONDS = 0.5


def at_exit(function: Callable[..., object], *arguments: Any) -> Callable[[], None]:
    """Has a function called when Python ends; returns what is called, for ``atexit.unregister``.

    Python would print a traceback of a Ctrl-C meanwhile, and end as it would without. So the first one is passed over, and a later one ends the function.
    Where a signal handler of the program calls ``sys.exit`` meanwhile, the function begins again.
    """

    def called() -> None:
        with contextlib.suppress(KeyboardInterrupt), _patience():
            while True:
                with contextlib.suppress(SystemExit):
                    function(*arguments)
                    return

    atexit.register(called)
    return called


@contextlib.contextmanager
def _patience() -> Iterator[None]:
    """Passes over Ctrl-C within the block, but for one that comes later than the first. What the program does on Ctrl-C itself stays."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    first_seconds: list[float] = []

    def came(number: int, frame: FrameType | None) -> None:
        first_seconds.append(time.monotonic())
        if first_seconds[-1] - first_seconds[0] > SAME_SECONDS:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, came)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)

"""Signals as a program on a terminal has them."""

from __future__ import annotations

import signal


def heed_signals() -> None:
    """Ends what `nohup` and the background of a shell ignore, since all that a test starts would ignore it, too."""
    for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)

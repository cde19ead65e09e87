"""One line on the terminal that shows the program's progress."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

#: Between two lines at least.
INTERVAL_SECONDS = 0.25


class Progress:
    """Shows and clears the line; shows nothing where standard error is no terminal, or one that cannot move the cursor."""

    def __init__(self, stream: Any = None) -> None:
        self._stream: Any = sys.__stderr__ if stream is None else stream
        self._is_shown = False
        self._latest = 0.0
        try:
            self.is_on = self._stream is not None and self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        except ValueError:
            self.is_on = False

    def show(self, phase: str, count: str, reserved_bytes: int) -> None:
        """Shows for example ``training: step 12, 3.1 GiB reserved``, unless the line before is only just there."""
        self.show_text(f"{phase}: {count}, {reserved_bytes / (1 << 30):.1f} GiB reserved")

    def show_text(self, text: str) -> None:
        """Shows a line, unless the one before is only just there."""
        now = time.monotonic()
        if not self.is_on or now - self._latest < INTERVAL_SECONDS:
            return
        self._latest = now
        self._is_shown = True
        self._write(f"\r\x1b[K{text}")

    def clear(self) -> None:
        """Clears the line."""
        if self._is_shown:
            self._is_shown = False
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self.is_on = False

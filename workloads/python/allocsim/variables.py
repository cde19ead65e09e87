"""The variables of a frame of the user's program, without what looking at them leaves behind."""

from __future__ import annotations

import inspect
import sys
from types import FrameType
from typing import Any

#: References to the dictionary of a frame that nobody else has: the frame's own, a variable's and an argument's.
_NOBODY_ELSE = 3


def variables_of(frame: Any) -> dict[str, Any]:
    """A copy of the variables of a frame, or of what stands in for one.

    Up to Python 3.12 the frame of a function keeps the dictionary that it gives out, and what is in it stays alive until it is asked again: a batch of the step before,
    which the program has dropped. So the dictionary is emptied, unless the program has it, too, from ``locals()``.
    """
    found = frame.f_locals
    copied = dict(found)
    if isinstance(frame, FrameType) and isinstance(found, dict) and frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.getrefcount(found) <= _NOBODY_ELSE:
        found.clear()
    return copied

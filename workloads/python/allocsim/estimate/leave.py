"""Ends loops of the program early, as though their ranges were shorter."""

from __future__ import annotations

import contextlib
import sys
import warnings
from typing import Any

from .source import Span


def turns(loops: list[Span], last: Span) -> dict[int, tuple[int, ...]]:
    """The lines at which iterations of loops begin, and where to go from there to leave one of them.

    Args:
        loops: all around a line, the innermost first.
        last: the one to leave, with a statement after it. Those within it are left with it, unless something between has to be ended first.
    """
    assert last.after is not None
    found = {last.body: last.after}
    for each in reversed(loops[: loops.index(last)]):
        if not each.is_bare:
            # What is around it ends as it would, once the loop itself was left.
            if each.after is not None:
                found[each.body] = each.after
            break
        found[each.body] = last.after
    return found


def leave(jumps: list[tuple[Any, dict[int, tuple[int, ...]]]]) -> None:
    """Makes functions leave one of their loops when its next iteration begins; does nothing under a debugger.

    Python lets a trace function move a frame to another line. It is done at the first statement of a turn, outside of all that
    is opened within the loop.

    Args:
        jumps: frames that run loops, with :func:`turns`; the innermost frame first. A frame that is called by another comes back to it.
    """
    if sys.gettrace() is not None or any(frame.f_trace is not None for frame, _ in jumps):
        return
    left = [frame for frame, _ in jumps]
    # From 3.12 on Python warns, then and after each trace function, where names that the loop has not set yet become None.
    warnings.filterwarnings("ignore", "assigning None to", RuntimeWarning)

    def follow(lines: dict[int, tuple[int, ...]]) -> Any:
        def traced(frame: Any, event: str, argument: Any) -> Any:
            if event == "line" and frame.f_lineno in lines:
                target = lines[frame.f_lineno]
                # Where Python finds no way there, the loop goes on.
                with contextlib.suppress(ValueError):
                    for line in target:
                        frame.f_lineno = line
                if target != max(lines.values()):
                    # A loop within the one to leave.
                    return traced
            elif event != "return":
                return traced
            frame.f_trace = None
            if frame in left:
                left.remove(frame)
            if not left:
                sys.settrace(None)
            return None

        return traced

    for frame, lines in jumps:
        frame.f_trace = follow(lines)
    sys.settrace(lambda frame, event, argument: None)

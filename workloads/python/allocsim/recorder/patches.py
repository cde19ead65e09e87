"""Replaces functions and puts them back."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable


class Patches:
    """Functions that tell what they are asked, and do the same as before."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def wrap(
        self,
        owner: Any,
        name: str,
        before: Callable[..., Any] | None = None,
        after: Callable[..., Any] | None = None,
    ) -> bool:
        """Calls ``before(*args, **kwargs)`` ahead of a function, ``after(result, *args, **kwargs)`` past it.

        What the observers raise is dropped: a recording never stops the program. Returns whether
        the owner has such a function.
        """
        original = getattr(owner, name, None)
        if not callable(original):
            return False

        @functools.wraps(original, updated=())
        def observed(*args: Any, **kwargs: Any) -> Any:
            if before is not None:
                _quietly(before, *args, **kwargs)
            result = original(*args, **kwargs)
            if after is not None:
                _quietly(after, result, *args, **kwargs)
            return result

        return self.replace(owner, name, observed)

    def within(self, owner: Any, name: str, context: Callable[[], contextlib.AbstractContextManager[None]]) -> bool:
        """Calls a function inside a context of its own; returns whether the owner has such a function."""
        original = getattr(owner, name, None)
        if not callable(original):
            return False

        @functools.wraps(original)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with context():
                return original(*args, **kwargs)

        return self.replace(owner, name, inside)

    def replace(self, owner: Any, name: str, function: Any) -> bool:
        """Puts another function in a place, if it can be set there."""
        own = vars(owner).get(name, _ABSENT)
        try:
            setattr(owner, name, function)
        except (AttributeError, TypeError):
            return False

        def undo() -> None:
            if vars(owner).get(name) is not function:
                return  # Somebody wrapped it again; the wrapper below goes on to pass calls through.
            if own is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, own)

        self._undo.append(undo)
        return True

    def on_undo(self, action: Callable[[], None]) -> None:
        """Something else to take back."""
        self._undo.append(action)

    def undo(self) -> None:
        """Puts everything back, the latest first."""
        while self._undo:
            _quietly(self._undo.pop())


_ABSENT = object()


def _quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    try:
        function(*args, **kwargs)
    except Exception:
        pass

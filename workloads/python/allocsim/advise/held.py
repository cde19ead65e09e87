"""What the program's variables still hold when a step begins although nothing reads it any more: outputs and losses of the step before, lists that only grow, caches."""

from __future__ import annotations

import collections
import contextlib
import itertools
import os
import sys
import weakref
from typing import Any, Iterator, NamedTuple

from ..estimate.places import is_own
from ..variables import variables_of
from .program import Call, is_users

#: When a call begins, so many items of containers are looked at, and containers in containers so deep.
MAX_ITEMS = 20_000
MAX_DEPTH = 4

#: Calls of models after which it is looked no more: what holds on to memory does so in each step.
MAX_CALLS = 200

#: What a module has beside its own attributes.
_OF_MODULES = ("_parameters", "_buffers", "_modules")


class Name(NamedTuple):
    """A name of the program that holds tensors.

    Attributes:
        file: where the function is.
        function: its name, ``<module>`` for the script itself.
        name: as in ``outputs``, or ``self.memory``.
    """

    file: str
    function: str
    name: str


class _Seen:
    """A tensor that a name held when a call of a model began."""

    __slots__ = ("address", "size", "calls", "operation", "name", "line")

    def __init__(self, address: int, size: int, call: int, operation: int, name: Name, line: int) -> None:
        self.address = address
        self.size = size
        self.calls = call
        self.operation = operation
        self.name = name
        self.line = line


class Held:
    """Follows the tensors that names hold from one call of a model to the next."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._operation = 0
        #: Calls of models so far.
        self.call = 0
        self._last_read: dict[int, int] = {}
        self._alive: dict[int, tuple[weakref.ref[Any], _Seen]] = {}
        # Bytes and line of each name by call, for what was never read again, and names of which something was.
        self._unread: dict[Name, dict[int, int]] = {}
        self._lines: dict[Name, int] = {}
        self._read: set[Name] = set()

    def note(self, given: Iterator[Any]) -> None:
        """An operation was given tensors."""
        self._operation += 1
        for each in given:
            if each.is_cuda:
                self._last_read[address(each)] = self._operation

    def begins(self, call: Call) -> None:
        """A call of a model begins."""
        self.call += 1
        if self.call > MAX_CALLS:
            return
        kept = {address(each) for each in (*call.module.parameters(), *call.module.buffers())}
        for name, line, tensor in named(self._torch, call.frame):
            place = address(tensor)
            if id(tensor) not in self._alive and place not in kept and place:
                seen = _Seen(place, tensor.nbytes, self.call, self._operation, name, line)
                self._alive[id(tensor)] = (weakref.ref(tensor, lambda _, key=id(tensor): self._dropped(key)), seen)  # type: ignore[misc]

    def went_back(self, call: int) -> None:
        """A backward pass reached the results of a call. What was held when later ones began may be needed by it: names do not tell."""
        if call < self.call:
            self._read.update(seen.name for _, seen in self._alive.values() if seen.calls > call)
            self._read.update(name for name, sizes in self._unread.items() if any(each > call for each in sizes))

    def _dropped(self, key: int) -> None:
        found = self._alive.pop(key, None)
        if found is not None:
            self._judge(found[1])

    def _judge(self, seen: _Seen) -> None:
        if self._last_read.get(seen.address, 0) > seen.operation:
            self._read.add(seen.name)
            return
        sizes = self._unread.setdefault(seen.name, {})
        sizes[seen.calls] = sizes.get(seen.calls, 0) + seen.size
        self._lines[seen.name] = seen.line

    def report(self) -> list[dict[str, Any]]:
        """Rows of ``file``, ``function``, ``name``, ``line`` (of the call that began meanwhile), ``bytes`` at most, and ``calls`` in which so much was held.

        A name of which a tensor was read again is none of them, nor is one that was seen once: what comes after the last call is not known.
        """
        for _, seen in list(self._alive.values()):
            # What was read after the last call began may have been read for the first time.
            if seen.calls < self.call:
                self._judge(seen)
        rows = []
        for name, sizes in self._unread.items():
            if name not in self._read and len(sizes) > 1:
                rows.append({"file": name.file, "function": name.function, "name": name.name, "line": f"{name.file}:{self._lines[name]}", "bytes": max(sizes.values()), "calls": len(sizes)})
        return sorted(rows, key=lambda row: -row["bytes"])


def named(torch: Any, frame: Any) -> Iterator[tuple[Name, int, Any]]:
    """The tensors of the GPU that names of the user's waiting functions hold, with the name and the line that waits; parameters are left out."""
    look = _Look(torch)
    while frame is not None:
        code = frame.f_code
        if is_users(code.co_filename):
            for name, value in variables_of(frame).items():
                for path, tensor in look.within(name, value, 0):
                    yield Name(os.path.abspath(code.co_filename), code.co_name, path), frame.f_lineno, tensor
        frame = frame.f_back


class _Look:
    """One pass through what names hold."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._met: set[int] = set()
        self._items = 0

    def within(self, path: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
        """The tensors in a value, each with the name that leads to it."""
        torch = self._torch
        self._items += 1
        if isinstance(value, torch.Tensor):
            if value.is_cuda and type(value) is torch.Tensor and value.layout is torch.strided:
                yield path, value
            return
        if depth == MAX_DEPTH or self._items > MAX_ITEMS or id(value) in self._met or isinstance(value, (str, bytes, int, float, type, torch.optim.Optimizer)):
            return
        inner: list[tuple[str, Any]] = []
        if isinstance(value, dict):
            inner = [(path, each) for each in itertools.islice(value.values(), MAX_ITEMS)]
        elif isinstance(value, (list, tuple, set, collections.deque)):
            inner = [(path, each) for each in itertools.islice(value, MAX_ITEMS)]
        elif _is_of_user(value):
            inner = [(f"{path}.{name}", each) for name, each in vars(value).items() if not name.startswith("__") and name not in _OF_MODULES]
        self._met.add(id(value))
        for name, each in inner:
            yield from self.within(name, each, depth + 1)


def _is_of_user(value: Any) -> bool:
    module = sys.modules.get(type(value).__module__)
    file = getattr(module, "__file__", None)
    return file is not None and hasattr(value, "__dict__") and not isinstance(value, type(sys)) and is_users(file) and not is_own(file)


def address(tensor: Any) -> int:
    """Where the memory of a tensor begins; 0 where it has none."""
    with contextlib.suppress(RuntimeError, NotImplementedError):
        return int(tensor.data_ptr()) - tensor.storage_offset() * tensor.element_size() if tensor.numel() else 0
    return 0

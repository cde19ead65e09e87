"""What the program's names still hold when a step begins, and nothing reads any more: outputs and losses of the step before, lists that only grow, caches."""

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


class Found(NamedTuple):
    """A tensor that a name leads to.

    Attributes:
        name: the name.
        line: that waits in the name's function.
        tensor: the tensor.
        container: the list, dictionary or other container of that name that has the tensor; None where the name is the tensor's own.
        is_item: whether the tensor itself is an item of the container, and not a part of one.
    """

    name: Name
    line: int
    tensor: Any
    container: Any
    is_item: bool


class _Form:
    """How a name holds its tensors."""

    __slots__ = ("container", "call", "is_kept", "has_items")

    def __init__(self) -> None:
        # The container by number, and the call that saw it last.
        self.container = 0
        self.call = 0
        self.is_kept = False
        self.has_items = True

    def note(self, found: Found, call: int) -> None:
        number = 0 if found.container is None else id(found.container)
        # A new container is made while the name still has the one before.
        self.is_kept = self.is_kept or bool(number) and number == self.container and call == self.call + 1
        self.has_items = self.has_items and found.is_item
        if call != self.call:
            self.container, self.call = number, call


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
        self._forms: dict[Name, _Form] = {}
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
        for found in named(self._torch, call.frame):
            tensor = found.tensor
            place = address(tensor)
            self._forms.setdefault(found.name, _Form()).note(found, self.call)
            if id(tensor) not in self._alive and place not in kept and place:
                seen = _Seen(place, tensor.nbytes, self.call, self._operation, found.name, found.line)
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
        """Rows of ``file``, ``function``, ``name``, ``line`` (of the call that began meanwhile), ``bytes`` at most, ``calls`` in which so much was held, ``is_kept`` (whether one container of that
        name stays from call to call) and ``has_items`` (whether tensors themselves are the items of that container).

        A name of which a tensor was read again is none of them, nor is one that was seen once: what comes after the last call is not known.
        """
        for _, seen in list(self._alive.values()):
            # What was read after the last call began may have been read for the first time.
            if seen.calls < self.call:
                self._judge(seen)
        rows = []
        for name, sizes in self._unread.items():
            if name not in self._read and len(sizes) > 1:
                form = self._forms[name]
                rows.append({
                    "file": name.file, "function": name.function, "name": name.name, "line": f"{name.file}:{self._lines[name]}", "bytes": max(sizes.values()), "calls": len(sizes),
                    "is_kept": form.is_kept, "has_items": form.has_items,
                })
        return sorted(rows, key=lambda row: -row["bytes"])


def named(torch: Any, frame: Any) -> Iterator[Found]:
    """The tensors of the GPU that names of the user's waiting functions hold; parameters are left out."""
    look = _Look(torch)
    while frame is not None:
        code = frame.f_code
        if is_users(code.co_filename):
            for name, value in variables_of(frame).items():
                for path, tensor, container, is_item in look.within(name, value, 0):
                    yield Found(Name(os.path.abspath(code.co_filename), code.co_name, path), frame.f_lineno, tensor, container, is_item)
        frame = frame.f_back


class _Look:
    """One look through what names hold."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._met: set[int] = set()
        self._items = 0

    def within(self, path: str, value: Any, depth: int, container: Any = None, around: Any = None) -> Iterator[tuple[str, Any, Any, bool]]:
        """The tensors in a value, each with the name that leads to it, as :class:`Found` has them.

        Args:
            path: the name.
            value: what it leads to, or a part of that.
            depth: of the part.
            container: the outermost one of that name.
            around: what has the value.
        """
        torch = self._torch
        self._items += 1
        if isinstance(value, torch.Tensor):
            if value.is_cuda and type(value) is torch.Tensor and value.layout is torch.strided:
                yield path, value, container, container is not None and around is container
            return
        if depth == MAX_DEPTH or self._items > MAX_ITEMS or id(value) in self._met or isinstance(value, (str, bytes, int, float, type, torch.optim.Optimizer)):
            return
        inner: list[tuple[str, Any]] = []
        outer = value if container is None else container
        if isinstance(value, dict):
            inner = [(path, each) for each in itertools.islice(value.values(), MAX_ITEMS)]
        elif isinstance(value, (list, tuple, set, collections.deque)):
            inner = [(path, each) for each in itertools.islice(value, MAX_ITEMS)]
        elif _is_of_user(value):
            inner = [(f"{path}.{name}", each) for name, each in vars(value).items() if not name.startswith("__") and name not in _OF_MODULES]
            outer = None
        self._met.add(id(value))
        for name, each in inner:
            yield from self.within(name, each, depth + 1, outer, value)


def _is_of_user(value: Any) -> bool:
    module = sys.modules.get(type(value).__module__)
    file = getattr(module, "__file__", None)
    return file is not None and hasattr(value, "__dict__") and not isinstance(value, type(sys)) and is_users(file) and not is_own(file)


def address(tensor: Any) -> int:
    """Where the memory of a tensor begins; 0 where it has none."""
    with contextlib.suppress(RuntimeError, NotImplementedError):
        return int(tensor.data_ptr()) - tensor.storage_offset() * tensor.element_size() if tensor.numel() else 0
    return 0
